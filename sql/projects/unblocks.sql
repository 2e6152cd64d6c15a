-- How many tasks that are not closed wait for each of :ids, and which are the first :most of them?
select u.id as of, w.n, f.first
from unnest(:ids::text[]) as u (id),
  lateral (
    select count(*)::int as n
    from task_deps d join tasks t on t.id = d.task_id
    where d.depends_on = u.id and t.status in ('open', 'in_progress')
  ) w,
  lateral (
    select jsonb_agg(jsonb_build_object('id', o.id, 'title', o.title) order by o.created_at, o.id) as first
    from (
      select t.id, t.title, t.created_at
      from task_deps d join tasks t on t.id = d.task_id
      where d.depends_on = u.id and t.status in ('open', 'in_progress')
      order by t.created_at, t.id
      limit :most
    ) o
  ) f
where w.n > 0
