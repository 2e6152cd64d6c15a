-- What these memories say, of those that still hold.
select m.id, m.name, m.project, m.kind, m.description, left(m.body, :length) as body, m.favorite, m.updated_at
from memories m
where m.id = any (:ids::text[]) and m.invalid_at is null and m.kind <> 'stage'
