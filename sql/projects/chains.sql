-- What do the tasks :ids wait for, and that in turn, :deep tasks deep? Of several that are not closed the oldest.
with recursive chain as (
  select u.id as of, b.id, b.title, b.status, 1 as depth
  from unnest(:ids::text[]) as u (id), lateral (
    select t.id, t.title, t.status
    from task_deps d join tasks t on t.id = d.depends_on
    where d.task_id = u.id and t.status in ('open', 'in_progress')
    order by t.created_at, t.id
    limit 1
  ) b
  union all
  select c.of, b.id, b.title, b.status, c.depth + 1
  from chain c, lateral (
    select t.id, t.title, t.status
    from task_deps d join tasks t on t.id = d.depends_on
    where d.task_id = c.id and t.status in ('open', 'in_progress')
    order by t.created_at, t.id
    limit 1
  ) b
  where c.depth < :deep
)
select of, id, title, status from chain order by of, depth
