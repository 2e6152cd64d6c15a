-- Which items are nearest in meaning to the question? Every vector of a small scope is compared, and the :near nearest
-- passages are kept: an item is as similar as its best passage. `enough` says whether no other passage can bring an item
-- among the first :depth: as many are nearer than the last passage, or there are no more passages.
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects,
      array(select number from projects where slug = any (:inherited::text[])) as inherited
  ),
  passages as materialized (
    select v.kind, v.id, v.chunk, coalesce(nullif(v.e <=> :vector::halfvec, 'NaN'), 1) as far
    from vectors v
    where v.model = :model::smallint and v.active
      and (:everywhere::boolean or v.project = any ((select projects from scope)::int[]))
      and v.kind = any (:kinds::text[])
      and (v.kind = 'memory' or v.project <> all ((select inherited from scope)::int[]))
      and (:memory_kind = '' or v.id = any (array(select m.id from memories m where m.kind = :memory_kind)))
    order by far
    limit :near::int
  ),
  items as materialized (
    select kind, id, (min(array[far, chunk]))[1] as far, (min(array[far, chunk]))[2]::int as chunk
    from passages
    group by kind, id
  )
select i.kind, i.id, 1 - i.far as similarity, i.chunk,
  (select count(*) from passages) < :near or (
    select count(*) from items where far < (select max(far) from passages)) >= :depth as enough
from items i
order by similarity desc, i.id
limit :depth
