-- What of :project could be begun, what waits for something unfinished, and what was begun and is
-- carried by nobody: it was never claimed, or its lease has run out. The oldest first, :most of each;
-- of a long text the beginning, and of many blockers the first. Steps of :plan only; '' is no plan.
with totals as (
  select coalesce(sum(ready), 0)::int as ready_total, coalesce(sum(blocked), 0)::int as blocked_total
  from task_totals where project = :project and plan = :plan
), fallen as (
  select *, count(*) over ()::int as fallen from tasks
  where project = :project and plan = :plan and status = 'in_progress'
    and (claimed_by = '' or lease_expires_at is null or lease_expires_at <= loam_now())
)
select totals.*, coalesce((select max(fallen) from fallen), 0) as lapsed_total, shown.part,
  t.id, t.project, t.title, left(t.body, :text::int) as body, length(t.body) > :text::int as cut,
  t.status, t.created_by, t.plan, t.claimed_by, t.lease_expires_at, t.paths, t.favorite,
  t.depends_on_total,
  case when t.depends_on_total = 0 then '{}' else array(
    select d.depends_on from task_deps d where d.task_id = t.id order by d.depends_on limit :blockers::int
  ) end as depends_on
from totals
left join lateral (
  (select 'ready' as part, id, created_at from tasks
    where project = :project and plan = :plan and status = 'open' and not blocked
    order by created_at, id limit :most::int)
  union all
  (select 'blocked', id, created_at from tasks
    where project = :project and plan = :plan and status = 'open' and blocked
    order by created_at, id limit :most::int)
  union all
  (select 'lapsed', id, created_at from fallen order by created_at, id limit :most::int)
) shown on true
left join tasks t on t.id = shown.id
order by shown.created_at, shown.id
