-- Which plans of :project have steps that are not closed, the one touched last first? A step can be
-- claimed when it is open and nothing that it waits for is unfinished.
select t.plan, count(*)::int as steps,
  count(*) filter (where t.status in ('done', 'dropped'))::int as done,
  count(*) filter (where t.status = 'in_progress')::int as in_flight,
  count(*) filter (where t.status = 'open' and not t.blocked)::int as claimable,
  count(*) over ()::int as plans
from tasks t
where t.project = :project and t.plan <> ''
  and t.plan in (
    select u.plan from tasks u
    where u.project = :project and u.status in ('open', 'in_progress') and u.plan <> ''
  )
group by t.plan
order by max(t.updated_at) desc, t.plan
limit :most::int
