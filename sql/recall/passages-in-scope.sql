-- How many active passages has a scope? From the totals, and from the changes that they do not count yet.
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects
  )
select coalesce(sum(t.passages), 0)::float8 as passages
from (
  select passages from passage_totals where (:everywhere::boolean or project = any ((select projects from scope)::int[]))
  union all
  select passages from passage_changes where (:everywhere::boolean or project = any ((select projects from scope)::int[]))
) t
