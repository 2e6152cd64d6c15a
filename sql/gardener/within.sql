-- Which active memories may the caller compare, newest first? With :query those that have one of its words.
select m.id, m.name, m.project, m.kind, m.description, left(m.body, :length) as body, m.favorite, m.updated_at
from memories m
where m.invalid_at is null and m.kind <> 'stage'
  and (:all::boolean or m.project = any(:searched::text[]))
  and fence_allows('read', :caller, :level, m.project,
    (select p.isolation from projects p where p.slug = m.project))
  and (:query::text = '' or exists (
    select from passages p where p.kind = 'memory' and p.id = m.id and p.active and p.words @@ :query::tsquery))
order by m.updated_at desc, m.id
limit :most
