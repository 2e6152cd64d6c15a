-- What do whole items have of one word? Over all of their passages, how often it stands there and how long they are, in
-- words; how many words stand in the passages before the first that has it; and what that one and the three that have most of
-- it say, the first one first. What is outside of the scope gives no row. Occurrences are read off ts_rank, as in
-- recall_words.
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects,
      array(select number from projects where slug = any (:inherited::text[])) as inherited
  ),
  word as materialized (
    select ('''' || replace(replace(:lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as query
  ),
  parts as materialized (
    select p.kind, p.id, p.chunk, p.length, case when p.words @@ w.query then
      round(1 / (1.64493406685::float8 * (1 - ts_rank('{1,1,1,1}', p.words, w.query)::float8)) - .5::float8)
      else 0 end as occurrences
    from word w, unnest(:kinds::text[], :ids::text[]) as f (kind, id)
      join passages p on p.kind = f.kind and p.id = f.id
    where (:everywhere::boolean or p.project = any ((select projects from scope)::int[]))
      and (p.kind = 'memory' or p.project <> all ((select inherited from scope)::int[]))
  ),
  having_it as materialized (
    select kind, id, chunk, row_number() over (partition by kind, id order by occurrences desc, chunk) as nth,
      min(chunk) over (partition by kind, id) as first
    from parts where occurrences > 0
  ),
  shown as materialized (select kind, id, chunk, first from having_it where nth <= 3 or chunk = first),
  texts as materialized (
    select id, array_agg(concat_ws(chr(10), heading, passage) order by nth) as said
    from recall_passages(
      array(select kind from shown order by id, chunk), array(select id from shown order by id, chunk),
      array(select chunk from shown order by id, chunk), :characters, :everywhere, :searched, :inherited)
      with ordinality as t (kind, id, heading, passage, nth)
    group by id
  ),
  wholes as (
    select p.kind, p.id, sum(p.length)::float8 as length, sum(p.occurrences)::float8 as occurrences,
      coalesce(sum(p.length) filter (where p.chunk < h.first), 0)::float8 as before
    from parts p left join (select distinct kind, id, first from shown) h using (kind, id)
    group by p.kind, p.id
  )
select w.kind, w.id, w.length, w.occurrences, w.before, coalesce(t.said, array[]::text[]) as said
from wholes w left join texts t using (id)
