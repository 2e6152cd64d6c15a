-- What do the memories with these :ids say, in this order? Those that are active and that the caller may read.
select m.id, m.name, m.kind, m.description, m.body, m.updated_at
from memories m
where m.id = any(:ids::text[])
  and m.invalid_at is null
  and fence_allows('read', :caller, :level, m.project, (select p.isolation from projects p where p.slug = m.project))
order by array_position(:ids::text[], m.id)
