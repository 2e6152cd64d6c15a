-- On which surfaces was what is known put before agents who work where the caller may read, and how
-- often? Of what they had not asked for: how many items, and how many of these were read or found by
-- recall within the day?
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
