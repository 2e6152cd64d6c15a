-- What happened last to the tasks :ids? Of each the last :most changes of its state; that its holder goes on with one is
-- none. The newest first.
select u.id, e.ts, e.session_id, e.payload
from unnest(:ids::text[]) as u (id), lateral (
  select a.ts, a.id, a.session_id, a.payload
  from events_acts a
  where a.item_id = u.id and a.kind = 'task.transition' and not a.payload ? 'renewed'
  order by a.ts desc, a.id desc
  limit :most
) e
order by e.ts desc, e.id desc
