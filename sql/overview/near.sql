-- Which plans are near their end, :percent of their steps closed or more? Those with the least left come first, then
-- the one that moved last; of each the steps that are left, :named of them, the oldest first.
with
  near as (
    select project, plan, sum(done + dropped)::int as done,
      sum(ready + blocked + in_progress + done + dropped)::int as steps
    from task_totals
    where plan <> ''
    group by project, plan
    having sum(ready + blocked + in_progress) > 0
      and sum(done + dropped) * 100 >= sum(ready + blocked + in_progress + done + dropped) * :percent
  ),
  moved as (
    select n.*, m.moved
    from near n
    cross join lateral (
      select max(t.updated_at) as moved from tasks t where t.project = n.project and t.plan = n.plan
    ) m
    order by n.steps - n.done, m.moved desc, n.project, n.plan
    limit :most::int
  )
select m.project, m.plan, m.done, m.steps, m.moved, l."left"
from moved m
cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'title', o.title) order by o.created_at, o.id), '[]') as "left"
  from (
    select t.id, t.title, t.created_at from tasks t
    where t.project = m.project and t.plan = m.plan and t.status in ('open', 'in_progress')
    order by t.created_at, t.id limit :named::int
  ) o
) l
order by m.steps - m.done, m.moved desc, m.project, m.plan
