-- Which items answer best by their words, and what do the first :read of them say there? See recall_words and
-- recall_passages.
with
  found as materialized (
    select *, row_number() over () as nth
    from recall_words(:lexemes, :weights, :kinds, :depth, :small, :pool, :most, :words, :memory_kind,
      :at::timestamptz, :explain, :searched, :inherited, :everywhere)
  ),
  first as materialized (select * from found where nth <= :read)
select f.kind, f.id, f.chunk, f.score, f.share, f.words, f.rarest, f.passages, f.lexemes, f.weights, s.said
from found f left join (
  -- A file that was copied by hand has the id of another: each hit stays one row.
  select id, max(said) as said
  from recall_passages(
    array(select kind from first order by nth), array(select id from first order by nth),
    array(select chunk from first order by nth), :characters, :everywhere, :searched, :inherited)
  group by id
) s on s.id = f.id
order by f.nth
