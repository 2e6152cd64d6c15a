-- Which of these :events is the first time that a memory was read by another session than the one that wrote it? Who
-- wrote it is an id, or a name where the memory came from another store. Of readers that nobody knows none counts.
with reads as materialized (
  select distinct on (m.id) m.id as memory, m.project, m.name, m.kind, m.source_session as writer, s.id as reader, e.ts, e.id
  from events_acts e
  join memories m on m.id = e.item_id and m.source_session <> ''
  join sessions s on s.id = e.session_id and m.source_session not in (s.id, s.name)
  where e.id = any (:events::text[])
  order by m.id, e.ts, e.id
)
select memory, project, name, kind, writer, reader
from reads e
where not exists (select from moments o where o.kind = 'memory.first_reuse' and o.project = '' and o.item = e.memory)
  and not exists (
    select from events_acts b join sessions r on r.id = b.session_id
    where b.item_id = e.memory and b.kind = 'memory.read' and (b.ts, b.id) < (e.ts, e.id)
      and e.writer not in (r.id, r.name)
  )
order by e.ts, e.id
