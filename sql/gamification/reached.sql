-- What was reached today, in the owner's zone, and in which order? Records that were broken, which are moments of the
-- kind :broken, and plans whose last step was closed, with at least one that is done.
with today as materialized (
  select day, day::timestamp at time zone owner_zone() as since
  from (select (loam_now() at time zone owner_zone())::date as day) d
),
moved as (
  select distinct project, payload ->> 'plan_slug' as plan
  from events_acts
  where kind = 'task.transition' and ts >= (select since from today) and payload ? 'plan_slug'
)
select record, project, plan
from (
  select m.item as record, null as project, null as plan, e.ts as at
  from moments m join events_acts e on e.id = m.event_id
  where m.kind = :broken and m.day = (select day from today)
  union all
  select null, p.project, p.plan, p.at
  from moved m
  cross join lateral (
    select t.project, t.plan, max(coalesce(t.closed_at, t.updated_at)) as at
    from tasks t
    where t.project = m.project and t.plan = m.plan
    group by t.project, t.plan
    having bool_and(t.status in ('done', 'dropped')) and bool_or(t.status = 'done')
  ) p
  where p.at >= (select since from today)
) reached
order by at, record, project, plan
limit :most::int
