-- Which plans are not finished, in :scope or anywhere, the last one moved first, and how far is each? `moving`
-- are those of which a step has changed within a day; `moving_total` counts them among all that are unfinished.
with
  unfinished as (
    select project, plan, sum(ready)::int as claimable, sum(in_progress)::int as in_flight,
      sum(done + dropped)::int as done, sum(ready + blocked + in_progress + done + dropped)::int as total
    from task_totals
    where plan <> '' and (:scope::text is null or project = :scope)
    group by project, plan
    having sum(ready + blocked + in_progress) > 0
  ),
  moved as (
    select u.*, m.moved, m.moved > loam_now() - interval '24 hours' as moving
    from unfinished u
    cross join lateral (
      select max(t.updated_at) as moved from tasks t where t.project = u.project and t.plan = u.plan
    ) m
  )
select *, (count(*) filter (where moving) over ())::int as moving_total, count(*) over ()::int as unfinished_total
from moved
order by moved desc, project, plan
limit :most::int
