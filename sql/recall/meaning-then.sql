-- Which items of an earlier time are nearest in meaning to the question? As meaning-bits does it, over
-- inactive passages too; with :near past all there are every vector is compared.
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects,
      array(select number from projects where slug = any (:inherited::text[])) as inherited
  ),
  near as materialized (
    select v.kind, v.id, v.chunk
    from vectors v
    where v.model = :model::smallint
      and (:everywhere::boolean or v.project = any ((select projects from scope)::int[]))
      and v.kind = any (:kinds::text[])
    and (v.kind = 'memory' or v.project <> all ((select inherited from scope)::int[]))
      and (:memory_kind = '' or v.id = any (array(select m.id from memories m where m.kind = :memory_kind)))
      and stood(v.kind, v.id, :at::timestamptz)
    order by v.b <~> binary_quantize(:vector::halfvec)
    limit :near
  )
select v.kind, v.id,
  1 - (min(array[coalesce(nullif(v.e <=> :vector::halfvec, 'NaN'), 1), v.chunk]))[1] as similarity,
  (min(array[coalesce(nullif(v.e <=> :vector::halfvec, 'NaN'), 1), v.chunk]))[2]::int as chunk
from near n join vectors v on v.kind = n.kind and v.id = n.id and v.chunk = n.chunk and v.model = :model::smallint
group by v.kind, v.id
order by similarity desc, v.id
limit :depth
