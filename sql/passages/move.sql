-- Text before a passage grew or shrank: the passage begins elsewhere and is the same.
update passages p set place = m.place
from unnest(:chunks::int[], :places::int[]) as m (chunk, place)
where p.kind = :kind and p.id = :id and p.chunk = m.chunk and p.place <> m.place
