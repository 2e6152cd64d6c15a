-- Whose vectors are there? One row for each model, the one of most items first. A passage has one vector.
select left(m.name, -1 - length(m.dims::text)) as model, m.dims, m.number,
  count(distinct (v.kind, v.id))::int as count,
  count(distinct v.id) filter (where v.kind = 'memory')::int as memories,
  count(distinct v.id) filter (where v.kind = 'note')::int as notes,
  count(*)::int as passages,
  max(v.made_at) as updated
from vectors v join models m on m.number = v.model
group by m.number
order by count desc, model, m.dims
