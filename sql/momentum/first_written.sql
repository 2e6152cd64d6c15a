-- Which of these :events wrote their memory for the first time?
select e.id
from events_acts e
where e.id = any (:events::text[]) and e.item_id is not null and not exists (
  select from events_acts b
  where b.item_id = e.item_id and b.kind in ('memory.written', 'note.written') and (b.ts, b.id) < (e.ts, e.id)
)
