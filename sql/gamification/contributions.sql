-- What has each of these :sessions done today, in the owner's zone: memories and notes written, tasks done?
select s.id as session, n.memories, n.notes, n.tasks_closed
from unnest(:sessions::text[]) as s (id)
cross join lateral (
  select count(*) filter (where kind = 'memory.written')::int as memories,
    count(*) filter (where kind = 'note.written')::int as notes,
    count(distinct item_id) filter (where kind = 'task.transition')::int as tasks_closed
  from events_acts
  where session_id = s.id
    and ts >= (loam_now() at time zone owner_zone())::date::timestamp at time zone owner_zone()
    and (kind = 'memory.written' or kind = 'note.written' and not payload ? 'deleted'
      or kind = 'task.transition' and payload ->> 'to' = 'done')
) n
