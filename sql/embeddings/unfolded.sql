-- Which passages after (:kind, :id, :chunk) lack a vector of the learned model? With their words. Tells the last one looked at
-- in any case, without words when it lacks none.
with looked as materialized (
  select p.kind, p.id, p.chunk, p.hash, p.words,
    not exists (
      select from vectors v
      where v.kind = p.kind and v.id = p.id and v.chunk = p.chunk and v.model = :model::smallint and v.hash = p.hash
    ) as lacks
  from passages p
  where (p.kind, p.id, p.chunk) > (:kind, :id, :chunk)
  order by p.kind, p.id, p.chunk
  limit :limit
),
last as (select kind, id, chunk from looked order by kind desc, id desc, chunk desc limit 1)
select l.kind, l.id, l.chunk, l.hash, case when l.lacks then l.words::text end as words
from looked l
where l.lacks or (l.kind, l.id, l.chunk) = (select kind, id, chunk from last)
order by l.kind, l.id, l.chunk
