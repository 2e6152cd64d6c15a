-- Which plans of :project have open steps, with the latest change first? An agent can claim a step that is
-- open and waits for nothing unfinished.
select t.plan, count(*)::int as steps,
  count(*) filter (where t.status in ('done', 'dropped'))::int as done,
  count(*) filter (where t.status = 'in_progress')::int as in_flight,
  count(*) filter (where t.status = 'open' and not t.blocked)::int as claimable,
  count(*) over ()::int as plans, extract(epoch from loam_now() - max(t.updated_at))::float8 as age
from tasks t
where t.project = :project and t.plan <> ''
  and t.plan in (
    select u.plan from tasks u
    where u.project = :project and u.status in ('open', 'in_progress') and u.plan <> ''
  )
group by t.plan
order by max(t.updated_at) desc, t.plan
limit :most::int
