-- Which active memories that its caller may change fit what a request says of them? All that is said applies, and each
-- word of a topic must stand in the name, the description or the text. :at is the one project to look into. Those first
-- that were not changed for longest, at most :most; with :apart as many constraints beside them. `found` counts each.
select f.id, f.name, f.project, f.kind, f.description, f.days, f.found
from (
  select m.id, m.name, m.project, m.kind, m.description,
    floor(extract(epoch from loam_now() - m.updated_at) / 86400)::int as days,
    row_number() over (partition by :apart::boolean and m.kind = 'constraint' order by m.updated_at, m.id) as nth,
    (count(*) over (partition by :apart::boolean and m.kind = 'constraint'))::int as found
  from memories m
  where m.invalid_at is null
    and case when :at::text is not null then m.project = :at
      else :all::boolean or m.project = any (:searched::text[]) end
    and m.project is distinct from :except::text
    and fence_allows('read', :caller, :level, m.project, (select p.isolation from projects p where p.slug = m.project))
    and fence_allows('write', :caller, :level, m.project, (select p.isolation from projects p where p.slug = m.project))
    and (:kind::text = '' or m.kind = :kind)
    and (:days::int = 0 or m.updated_at < loam_now() - :days::int * interval '1 day')
    and not exists (
      select from unnest(:tags::text[]) asked
      where not exists (select from unnest(m.tags) tag where lower(tag) = lower(asked))
    )
    and (:words::text = '' or m.heading @@ :words::text::tsquery or exists (
      select from passages p where p.kind = 'memory' and p.id = m.id and p.active and p.words @@ :words::text::tsquery
    ))
) f
where f.nth <= :most::int
order by f.nth, f.id
