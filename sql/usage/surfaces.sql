-- On which surfaces was what is known put before agents who work where the caller may read, and how
-- often? Of what they had not asked for: how many items, and how many of these were read or found by
-- recall within the day?
with
  fenced as materialized (
    select array(select slug from projects where isolation <> 'open' and slug <> :caller) as slugs
  ),
  used as (
    select surface, sum(times)::int as times
    from use_totals
    where case when :sealed::boolean then project = :caller else project <> all ((select slugs from fenced)::text[]) end
    group by surface
  ),
  pushed as (
    select surface, count(*)::int as items, count(*) filter (where pulled)::int as pulled
    from (
      select surface, id, bool_or(pulled) as pulled
      from item_uses
      where surface in ('session-start', 'subagent-start')
        and case when :sealed::boolean then project = :caller else project <> all ((select slugs from fenced)::text[]) end
      group by surface, id
    ) shown
    group by surface
  )
select surface, used.times, coalesce(items, 0) as items, coalesce(pulled, 0) as pulled
from used left join pushed using (surface)
order by surface
