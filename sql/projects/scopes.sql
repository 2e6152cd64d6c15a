-- Which scopes are there, or which one is :slug, and how many memories are believed in each? The global scope ('') is
-- one, and so is a slug that nobody registered and that knowledge, work or a session names. The slugs of a table are
-- found by stepping through its index. `inherited` are the parent's memories, where both may read each other and
-- :inherits says that briefings tell them.
with recursive
  in_memories (slug) as (
    select min(project) from memories where :slug::text is null
    union all
    select (select min(m.project) from memories m where m.project > o.slug) from in_memories o where o.slug is not null
  ),
  in_notes (slug) as (
    select min(project) from notes where :slug::text is null
    union all
    select (select min(n.project) from notes n where n.project > o.slug) from in_notes o where o.slug is not null
  ),
  in_sessions (slug) as (
    select min(project) from sessions where :slug::text is null
    union all
    select (select min(s.project) from sessions s where s.project > o.slug) from in_sessions o where o.slug is not null
  ),
  named (slug) as (
    select '' where :slug::text is null or :slug = ''
    union select slug from projects where :slug::text is null or slug = :slug
    union select slug from in_memories where slug is not null
    union select slug from in_notes where slug is not null
    union select slug from in_sessions where slug is not null
    union select project from task_totals
      where (:slug::text is null or project = :slug) and ready + blocked + in_progress + done + dropped > 0
    union select :slug where exists (select from memories where project = :slug)
      or exists (select from notes where project = :slug) or exists (select from sessions where project = :slug)
  ),
  believed as (
    select project, count(*)::int as memories
    from memories
    where invalid_at is null
      and (:slug::text is null or project in (:slug, (select parent_slug from projects where slug = :slug)))
    group by project
  )
select w.slug, p.slug is not null or w.slug = '' as registered, coalesce(p.name, w.slug) as name,
  coalesce(p.description, '') as description, coalesce(p.isolation, 'open') as isolation,
  p.parent_slug as parent, p.retired_at as retired, coalesce(p.favorite, false) as favorite,
  p.created_at as created, p.updated_at as updated,
  exists (select from projects c where c.parent_slug = w.slug) as has_children,
  coalesce(b.memories, 0) as memories,
  case when :inherits::boolean and parent.slug is not null
      and fence_allows('read', p.slug, p.isolation, parent.slug, parent.isolation)
      and fence_allows('read', parent.slug, parent.isolation, p.slug, p.isolation)
    then coalesce(i.memories, 0) else 0 end as inherited
from named w
left join projects p on p.slug = w.slug
left join projects parent on parent.slug = p.parent_slug
left join believed b on b.project = w.slug
left join believed i on i.project = parent.slug
order by w.slug
