-- How many active items are there, how many have a passage without any vector, and how many have one
-- whose vector is another model's?
with items as (
  select bool_or(v.model is null) as missing, bool_or(v.model <> :model::smallint) as stale
  from passages p left join vectors v on v.kind = p.kind and v.id = p.id and v.chunk = p.chunk
  where p.active
  group by p.kind, p.id
)
select count(*)::int as total, count(*) filter (where missing)::int as missing,
  count(*) filter (where stale)::int as stale
from items
