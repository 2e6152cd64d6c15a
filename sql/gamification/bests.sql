-- Which days were the best there ever were? That with the most tasks done, each once a day, and that with the most
-- memories written; of two days that are alike the earlier one.
with days as (
  select (ts at time zone owner_zone())::date as day,
    count(distinct item_id) filter (where kind = 'task.transition')::int as tasks_day,
    count(*) filter (where kind = 'memory.written')::int as memories_day
  from events_acts
  where kind in ('task.transition', 'memory.written') and (kind = 'memory.written' or payload ->> 'to' = 'done')
  group by 1
)
select to_char(day, 'YYYY-MM-DD') as day, tasks_day, memories_day
from days
where day in ((select day from days order by tasks_day desc, day limit 1),
  (select day from days order by memories_day desc, day limit 1))
order by days.day
