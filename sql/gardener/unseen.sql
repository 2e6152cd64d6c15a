-- How many active memories were written since :at, up to the one with this id?
select count(*)::int as memories
from memories m
where m.invalid_at is null and m.kind <> 'stage'
  and m.updated_at >= :at::timestamptz and (m.updated_at > :at::timestamptz or m.id < :id)
