-- On which surfaces, and how often, did agents see stored knowledge in projects that the caller may read?
-- For surfaces without a request: how many items did they show, and how many of these did an agent read or
-- find by recall within the day?
with
  used as (
    select u.surface, sum(u.times)::int as times
    from use_totals u left join projects p on p.slug = u.project
    where fence_allows('read', :caller, :level, u.project, p.isolation)
    group by u.surface
  ),
  pushed as (
    select surface, count(*)::int as items, count(*) filter (where pulled)::int as pulled
    from (
      select u.surface, u.id, bool_or(u.pulled) as pulled
      from item_uses u left join projects p on p.slug = u.project
      where u.surface in ('session-start', 'subagent-start')
        and fence_allows('read', :caller, :level, u.project, p.isolation)
      group by u.surface, u.id
    ) shown
    group by surface
  )
select surface, used.times, coalesce(items, 0) as items, coalesce(pulled, 0) as pulled
from used left join pushed using (surface)
order by surface
