-- What may be begun, in :scope or anywhere, the oldest first, and what waits for it? `unblocks` counts the
-- unfinished tasks that wait for this one, among others perhaps; `waiting` names the oldest of them.
select t.id, t.title, t.project, t.plan, t.created_at as created, w.unblocks, w.waiting
from (
  select * from tasks
  where status = 'open' and not blocked and (:scope::text is null or project = :scope)
  order by created_at, id limit :most::int
) t
cross join lateral (
  select count(*)::int as unblocks,
    coalesce((jsonb_agg(jsonb_build_object('id', w.id, 'title', w.title) order by w.created_at, w.id)), '[]') as waiting
  from task_deps d join tasks w on w.id = d.task_id
  where d.depends_on = t.id and w.status in ('open', 'in_progress')
) w
order by t.created_at, t.id
