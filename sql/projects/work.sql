-- How much is written, to be done and at work in each project, or in :slug alone? A session is idle after :idle minutes
-- without a sign of life. Sessions and tasks are counted as they change, and not read here.
with
  written as (
    select project, count(*)::int as notes
    from notes
    where :slug::text is null or project = :slug
    group by project
  ),
  work as (
    select project, sum(ready + blocked + in_progress)::int as open_tasks, sum(blocked)::int as blocked
    from task_totals
    where :slug::text is null or project = :slug
    group by project
  ),
  agents as (
    select project, sum(sessions)::int as sessions, sum(tokens)::float8 as tokens
    from session_totals
    where :slug::text is null or project = :slug
    group by project
    having sum(sessions) > 0
  ),
  live as (
    select project, count(*)::int as working
    from sessions
    where status = 'active' and updated_at >= loam_now() - coalesce(idle_minutes, :idle::int) * interval '1 minute'
      and (:slug::text is null or project = :slug)
    group by project
  )
select project as slug, coalesce(notes, 0) as notes, coalesce(open_tasks, 0) as open_tasks, coalesce(blocked, 0) as blocked,
  coalesce(sessions, 0) as sessions, coalesce(working, 0) as working,
  (select s.updated_at from sessions s where s.project = found.project order by s.updated_at desc limit 1) as last_active,
  coalesce(tokens, 0) as tokens
from (
  select * from written full join work using (project) full join agents using (project) full join live using (project)
) found
order by project
