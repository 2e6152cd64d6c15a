-- The registered projects, by slug, from :skip on: their parent, level, families and places.
-- :families and :members are those of the configuration file that no stored family replaces. :places and :mapped are all
-- of its places; a stored one of the same place replaces one of them.
with
  page as (
    select slug, name, description, isolation, parent_slug, created_at, retired_at
    from projects
    order by slug
    limit :most offset :skip
  ),
  grouped as (
    select family, project from families
    union all
    select c.family, c.project from unnest(:families::text[], :members::text[]) as c (family, project)
  ),
  placed as (
    select place, project from repos
    union all
    select c.place, c.project from unnest(:places::text[], :mapped::text[]) as c (place, project)
    where not exists (select from repos r where r.place = c.place)
  ),
  ours as (
    select project, count(*)::int as places, (array_agg(place order by place))[1:20] as repos
    from placed
    where project in (select slug from page)
    group by project
  )
select p.slug, p.name, p.description, p.isolation, p.parent_slug as parent, p.created_at as registered,
  p.retired_at as retired,
  (select coalesce(array_agg(g.family order by g.family), '{}') from grouped g where g.project = p.slug) as families,
  coalesce(o.repos, '{}') as repos, coalesce(o.places, 0) as places
from page p left join ours o on o.project = p.slug
order by p.slug
