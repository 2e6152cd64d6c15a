-- How often does a word stand in each of these items, and how long are they? Both over all of their passages; length is in
-- words. An item outside of the scope gives no row. Occurrences are read off ts_rank, as in recall_words.
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects,
      array(select number from projects where slug = any (:inherited::text[])) as inherited
  ),
  word as materialized (
    select ('''' || replace(replace(:lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as query
  )
select f.kind, f.id, sum(p.length)::float8 as length,
  coalesce(sum(round(1 / (1.64493406685::float8 * (1 - ts_rank('{1,1,1,1}', p.words, w.query)::float8)) - .5::float8))
    filter (where p.words @@ w.query), 0)::float8 as occurrences
from word w, unnest(:kinds::text[], :ids::text[]) as f (kind, id)
  join passages p on p.kind = f.kind and p.id = f.id
where (:everywhere::boolean or p.project = any ((select projects from scope)::int[]))
  and (p.kind = 'memory' or p.project <> all ((select inherited from scope)::int[]))
group by f.kind, f.id
