-- On which surfaces was what is known put before agents who work where the caller may read, how many
-- items, and how many of these were read or found by recall within the day?
with
  fenced as materialized (
    select array(select slug from projects where isolation <> 'open' and slug <> :caller) as slugs
  )
select surface, sum(times)::int as times, count(*)::int as items, count(*) filter (where pulled)::int as pulled
from (
  select surface, id, sum(times) as times, bool_or(pulled) as pulled
  from item_uses
  where case when :sealed::boolean then project = :caller else project <> all ((select slugs from fenced)::text[]) end
  group by surface, id
) shown
group by surface
order by surface
