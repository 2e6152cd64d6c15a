-- Which tasks of :project could be begun now, the newest first? Open, no step of a plan, and nothing
-- that they wait for is unfinished. `ready` is how many there are of them.
select t.title, count(*) over ()::int as ready
from tasks t
where t.project = :project and t.status = 'open' and t.plan = ''
  and not exists (
    select from task_deps d join tasks b on b.id = d.depends_on
    where d.task_id = t.id and b.status in ('open', 'in_progress')
  )
order by t.created_at desc, t.id desc
limit :most::int
