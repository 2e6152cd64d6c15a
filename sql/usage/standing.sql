-- How much is there that the caller may read? Active memories by kind, notes, sessions and tasks by status.
with
  fenced as materialized (
    select array(select slug from projects where isolation <> 'open' and slug <> :caller) as slugs
  )
select what, name, count(*)::int as count
from (
  select 'memory' as what, kind as name, project from memories where invalid_at is null
  union all
  select 'note', '', project from notes
  union all
  select 'session', status, project from sessions
  union all
  select 'task', status, project from tasks
) items
where case when :sealed::boolean then project = :caller else project <> all ((select slugs from fenced)::text[]) end
group by what, name
order by what, name
