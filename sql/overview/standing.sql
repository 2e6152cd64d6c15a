-- How much is there? Active memories by kind, notes, sessions, tasks by status.
select 'memory' as what, kind as name, count(*)::int as count from memories where invalid_at is null group by kind
union all
select 'note', '', count(*)::int from notes
union all
select 'session', '', count(*)::int from session_kept
union all
select 'task', status, sum(n)::int
from task_totals, lateral (values ('open', ready + blocked), ('in_progress', in_progress), ('done', done), ('dropped', dropped),
  ('blocked', blocked)) v (status, n)
group by status
