-- What surrounds :project? Its level, the parent that it inherits from, and its siblings; beside them the
-- overrides of :settings that apply to the caller. A parent or a sibling counts only when both sides may
-- read each other. A stored family takes the place of a configured one of the same name.
with
  own as (
    select coalesce((select isolation from projects where slug = :project::text), 'open') as isolation
  ),
  siblings as (
    select family, project from families
    union all
    select c.family, c.project
    from unnest(:families::text[], :members::text[]) as c (family, project)
    where not exists (select from families f where f.family = c.family)
  )
select own.isolation,
  (
    select p.parent_slug
    from projects p join projects parent on parent.slug = p.parent_slug
    where p.slug = :project
      and fence_allows('read', :project, own.isolation, parent.slug, parent.isolation)
      and fence_allows('read', parent.slug, parent.isolation, :project, own.isolation)
  ) as parent,
  (
    select coalesce(array_agg(distinct k.project order by k.project), '{}')
    from siblings mine
      join siblings k on k.family = mine.family and k.project <> mine.project
      left join projects p on p.slug = k.project
    where mine.project = :project and :project <> '' and k.project <> ''
      and fence_allows('read', :project, own.isolation, k.project, p.isolation)
      and fence_allows('read', k.project, coalesce(p.isolation, 'open'), :project, own.isolation)
  ) as siblings,
  (select coalesce(jsonb_object_agg(key, value), '{}') from settings where key = any (:settings::text[])) as settings
from own
