-- Which tasks of :project can an agent begin now, the newest first? A ready task is open, is no step of a
-- plan, and waits for nothing unfinished. `ready` is their count.
select t.title, extract(epoch from loam_now() - t.created_at)::float8 as age, count(*) over ()::int as ready
from tasks t
where t.project = :project and t.plan = '' and t.status = 'open' and not t.blocked
order by t.created_at desc, t.id desc
limit :most::int
