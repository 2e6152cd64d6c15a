-- Of pairs of memories that the caller may read: how alike they mean (cosine; null where a vector is missing), and whether one of them links to
-- the other, which sets it apart.
select u.a, u.b,
  (
    select coalesce(nullif(1 - (x.e <=> y.e), 'NaN'), 0)
    from vectors x join vectors y on y.kind = 'memory' and y.id = u.b and y.model = x.model
    where x.kind = 'memory' and x.id = u.a and x.model = :model::smallint
    limit 1
  ) as cosine,
  exists (
    select from links l join memories m on m.name = l.name and (l.project is null or l.project = m.project)
    where l.source_kind = 'memory' and (l.source_id, m.id) in ((u.a, u.b), (u.b, u.a))
  ) as linked
from unnest(:these::text[], :those::text[]) as u (a, b)
  join memories ma on ma.id = u.a
  join memories mb on mb.id = u.b
where :everywhere::boolean
  or fence_allows('read', :caller, :level, ma.project, (select p.isolation from projects p where p.slug = ma.project))
  and fence_allows('read', :caller, :level, mb.project, (select p.isolation from projects p where p.slug = mb.project))
