-- How much was done today, and on the seven days before it? Tasks that were done, each once a day; memories and notes
-- that were written; plans of which a step moved; sessions that began. Days are those of the owner's zone.
with days as materialized (
  select today, (today - 7)::timestamp at time zone owner_zone() as since,
    (today + 1)::timestamp at time zone owner_zone() as until
  from (select (loam_now() at time zone owner_zone())::date as today) t
),
acts as materialized (
  select kind, (ts at time zone owner_zone())::date as day, project, item_id, payload ->> 'to' as state,
    payload ->> 'plan_slug' as plan
  from events_acts
  where kind in ('task.transition', 'memory.written', 'note.written')
    and ts >= (select since from days) and ts < (select until from days)
    and not payload ?| array['deleted', 'renewed']
),
counted as (
  select 1 as place, 'tasks' as key, day from acts where state = 'done' group by day, item_id
  union all
  select 2, 'memories', day from acts where kind = 'memory.written'
  union all
  select 3, 'notes', day from acts where kind = 'note.written'
  union all
  select 4, 'plans', day from acts where plan is not null group by day, project, plan
  union all
  select 5, 'sessions', (created_at at time zone owner_zone())::date
  from session_kept
  where created_at >= (select since from days) and created_at < (select until from days)
)
select k.key, (count(*) filter (where c.day = d.today))::int as n, (count(*) filter (where c.day < d.today))::int as week,
  to_char(d.today, 'YYYY-MM-DD') as today
from days d
cross join unnest(array['tasks', 'memories', 'notes', 'plans', 'sessions']) with ordinality as k (key, place)
left join counted c on c.place = k.place
group by k.key, k.place, d.today
order by k.place
