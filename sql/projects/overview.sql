-- What is every project, or :slug alone, and how much does it hold? Memories that are believed, notes,
-- and tasks that are not closed. In the order of their slugs.
select p.id, p.slug, p.name, p.description, p.isolation, p.parent_slug as parent, p.retired_at as retired,
  p.created_at as created,
  (select count(*)::int from memories m where m.project = p.slug and m.invalid_at is null) as memories,
  (select count(*)::int from notes n where n.project = p.slug) as notes,
  (select count(*)::int from tasks t where t.project = p.slug and t.status in ('open', 'in_progress')) as tasks,
  array(select c.slug from projects c where c.parent_slug = p.slug order by c.slug) as children,
  array(select r.place from repos r where r.project = p.slug order by r.place) as places
from projects p
where :slug::text is null or p.slug = :slug
order by p.slug
