-- How much happened between :after and :until, in :buckets equal spans? Only the last :most events are counted:
-- `counted` says how many were, and `since` from when on that is all of them. What a recall recorded beside its call
-- is left out. A span without events has no row. :after is null for the whole log.
with
  beside as materialized (
    select id from events_acts
    where in_its_call(kind, payload) and ts < :until and ts >= coalesce(:after::timestamptz, '-infinity')
    order by ts desc
    -- Few enough to be hashed, and more than stand beside what is counted: each came with a call.
    limit :most * 5
  ),
  newest as materialized (
    select id, ts, case
        when kind = 'tool.call' then 'tool'
        when kind = 'retrieval.injected' then 'inject'
        when kind in ('hook.prompt', 'recall.miss') then 'prompt'
        when kind like 'session.%' then 'session'
        else 'plan' end as category
    from events
    where kind = any(:kinds::text[]) and ts < :until
      and ts >= coalesce(:after::timestamptz, '-infinity')
      and (kind <> 'retrieval.injected' or id not in (select id from beside))
    order by ts desc
    limit :most
  ),
  whole as (
    select count(*)::int as counted, min(ts) as since, coalesce(:after::timestamptz, min(ts), :until) as began
    from newest
  )
select least(:buckets - 1, floor(:buckets * date_part('epoch', ts - began)
    / greatest(date_part('epoch', :until::timestamptz - began), 0.001)))::int as bucket,
  category, count(*)::int as n, max(id) as latest, min(counted) as counted, min(since) as since, min(began) as began
from newest, whole
group by 1, 2
order by 1, 2
