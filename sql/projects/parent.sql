-- From which project does :project inherit, for a caller who works at :caller and may read :project? The parent
-- counts only when both may read each other, and the caller may read it too. Beside it the override of :setting.
select
  (
    select p.parent_slug
    from projects p join projects parent on parent.slug = p.parent_slug
    where p.slug = :project
      and fence_allows('read', :caller, :level, parent.slug, parent.isolation)
      and fence_allows('read', :project, p.isolation, parent.slug, parent.isolation)
      and fence_allows('read', parent.slug, parent.isolation, :project, p.isolation)
  ) as parent,
  (select value from settings where key = :setting) as setting
