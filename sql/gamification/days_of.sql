-- How much was done on the days of the owner's zone in which these :times lie? The tasks that were done on a day, each
-- once, and how often a memory was written.
select to_char(d.day, 'YYYY-MM-DD') as day, n.tasks_day, n.memories_day
from (select distinct (ts at time zone owner_zone())::date as day from unnest(:times::timestamptz[]) as ts) d
cross join lateral (
  select count(distinct item_id) filter (where kind = 'task.transition')::int as tasks_day,
    count(*) filter (where kind = 'memory.written')::int as memories_day
  from events_acts
  where kind in ('task.transition', 'memory.written')
    and ts >= d.day::timestamp at time zone owner_zone() and ts < (d.day + 1)::timestamp at time zone owner_zone()
    and (kind = 'memory.written' or payload ->> 'to' = 'done')
) n
order by d.day
