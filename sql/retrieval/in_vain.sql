-- What did agents search for since :since and not find? Of the last :look searches in vain each question once, the one
-- that was asked last first, :most of them, with its last search and how often it was asked among these.
with
  missed as (
    select e.id, e.ts, e.project, e.session_id, e.payload ->> 'query' as query, lower(btrim(e.payload ->> 'query')) as asked
    from events e
    where e.transport and e.kind = 'recall.miss' and (:since::timestamptz is null or e.ts >= :since)
    order by e.ts desc, e.id desc
    limit :look
  ),
  questions as (
    select distinct on (asked) id, ts, project, session_id, query, count(*) over (partition by asked)::int as times
    from missed
    order by asked, ts desc, id desc
  )
select id, ts, project, session_id, query, times
from questions
order by ts desc, id desc
limit :most
