-- How many items may the caller read? Active memories by kind, notes, and sessions and tasks by status.
select items.what, items.name, count(*)::int as count
from (
  select 'memory' as what, kind as name, project from memories where invalid_at is null
  union all
  select 'note', '', project from notes
  union all
  select 'session', status, project from sessions
  union all
  select 'task', status, project from tasks
) items left join projects p on p.slug = items.project
where fence_allows('read', :caller, :level, items.project, p.isolation)
group by items.what, items.name
order by items.what, items.name
