-- Which steps have these plans of :project? Of each those that are not closed, the oldest first, :most of them; behind
-- them the :closed that were closed last.
select p.plan, t.id, t.closed
from unnest(:plans::text[]) with ordinality as p (plan, nth), lateral (
  (
    select o.id, false as closed, row_number() over (order by o.created_at, o.id) as place
    from tasks o
    where o.project = :project and o.plan = p.plan and o.status in ('open', 'in_progress')
    order by o.created_at, o.id
    limit :most
  )
  union all
  (
    select c.id, true, row_number() over (order by coalesce(c.closed_at, c.updated_at) desc, c.id desc)
    from tasks c
    where c.project = :project and c.plan = p.plan and c.status in ('done', 'dropped')
    order by coalesce(c.closed_at, c.updated_at) desc, c.id desc
    limit :closed
  )
) t
order by p.nth, t.closed, t.place
