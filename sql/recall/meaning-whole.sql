-- How near to the question is the whole of each of these items, which is the middle of its passages?
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects,
      array(select number from projects where slug = any (:inherited::text[])) as inherited
  )
select f.kind, f.id, 1 - coalesce(nullif(avg(v.e) <=> :vector::halfvec, 'NaN'), 1) as similarity
from unnest(:kinds::text[], :ids::text[]) as f (kind, id)
  join vectors v on v.kind = f.kind and v.id = f.id and v.model = :model::smallint
where (:everywhere::boolean or v.project = any ((select projects from scope)::int[]))
  and (v.kind = 'memory' or v.project <> all ((select inherited from scope)::int[]))
group by f.kind, f.id
