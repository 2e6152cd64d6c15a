-- How much happened in :project between :after and :until, in :buckets equal spans? As the feed counts it
-- (interactions/volume): its last :most events, without what a recall recorded beside its call. :after is null for all
-- that is kept.
with
  beside as materialized (
    select id from events_acts
    where in_its_call(kind, payload) and project = :project
      and ts < :until and ts >= coalesce(:after::timestamptz, '-infinity')
    order by ts desc
    -- Each came with a call that is counted. Few enough to be hashed.
    limit :most
  ),
  newest as materialized (
    select id, ts, case
        when kind = 'tool.call' then 'tool'
        when kind = 'retrieval.injected' then 'inject'
        when kind in ('hook.prompt', 'recall.miss') then 'prompt'
        when kind like 'session.%' then 'session'
        else 'plan' end as category
    from events
    where project = :project and kind = any (:kinds::text[])
      and ts < :until and ts >= coalesce(:after::timestamptz, '-infinity')
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
