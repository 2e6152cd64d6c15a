-- How much did the sessions of :project do between :after and :until, in :buckets equal spans? As the feed counts it
-- (interactions/volume): the last :most events of the :look sessions that were heard last, without what a recall
-- recorded beside its call. `looked` is the number of these sessions. :after is null for all that is kept.
with
  heard as materialized (
    select id from sessions
    where project = :project and updated_at >= coalesce(:after::timestamptz, '-infinity')
    order by updated_at desc, id
    limit :look
  ),
  beside as materialized (
    select id from events_acts
    where in_its_call(kind, payload) and ts < :until and ts >= coalesce(:after::timestamptz, '-infinity')
    order by ts desc
    -- Few enough to be hashed.
    limit :most * 5
  ),
  newest as materialized (
    select e.id, e.ts, case
        when e.kind = 'tool.call' then 'tool'
        when e.kind = 'retrieval.injected' then 'inject'
        when e.kind in ('hook.prompt', 'recall.miss') then 'prompt'
        when e.kind like 'session.%' then 'session'
        else 'plan' end as category
    from heard h join events e on e.session_id = h.id
    where e.kind = any (:kinds::text[]) and e.project = :project
      and (e.kind <> 'retrieval.injected' or e.id not in (select id from beside))
      and e.ts < :until and e.ts >= coalesce(:after::timestamptz, '-infinity')
    order by e.ts desc
    limit :most
  ),
  whole as (
    select count(*)::int as counted, min(ts) as since, coalesce(:after::timestamptz, min(ts), :until) as began
    from newest
  )
select least(:buckets - 1, floor(:buckets * extract(epoch from ts - began)::float8
    / greatest(extract(epoch from :until::timestamptz - began)::float8, 0.001)))::int as bucket,
  category, count(*)::int as n, max(id) as latest, min(counted) as counted, min(since) as since, min(began) as began,
  (select count(*) from heard)::int as looked
from newest, whole
group by 1, 2
order by 1, 2
