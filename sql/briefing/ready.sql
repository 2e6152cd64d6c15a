-- Which tasks of :project could be begun now, the newest first? Open, no step of a plan, and nothing
-- that they wait for is unfinished. `ready` is how many there are of them.
select t.title, count(*) over ()::int as ready
from tasks t
where t.project = :project and t.plan = '' and t.status = 'open' and not t.blocked
order by t.created_at desc, t.id desc
limit :most::int
