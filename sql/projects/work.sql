-- How much is written, to be done and at work in each project, or in :slug alone? A session is idle after :idle minutes
-- without a sign of life.
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
    select project, count(*)::int as sessions, max(updated_at) as last_active,
      count(*) filter (where status = 'active'
        and updated_at >= loam_now() - coalesce(idle_minutes, :idle::int) * interval '1 minute')::int as working,
      sum(input_tokens + cached_tokens + cache_creation_tokens + output_tokens)::float8 as tokens
    from sessions
    where :slug::text is null or project = :slug
    group by project
  )
select project as slug, coalesce(notes, 0) as notes, coalesce(open_tasks, 0) as open_tasks, coalesce(blocked, 0) as blocked,
  coalesce(sessions, 0) as sessions, coalesce(working, 0) as working, last_active, coalesce(tokens, 0) as tokens
from written full join work using (project) full join agents using (project)
order by project
