-- Which passages wait for a vector of the model? Of the items that are due, what was written last
-- first. Those that are :left_out (kind, id and hash) wait for nothing now. An item that has no other has a chunk of null.
with due as materialized (
  select kind, id, queued_at, older_than
  from embedding_queue
  where due_at <= loam_now()
  order by due_at desc, kind, id
  limit :items
)
select d.kind, d.id, d.queued_at as seen, p.chunk, p.hash
from due d
  left join lateral (
    select p.chunk, p.hash
    from passages p left join vectors v on v.kind = p.kind and v.id = p.id and v.chunk = p.chunk
      and v.model = :model::smallint
    where p.kind = d.kind and p.id = d.id
      and (v.hash is distinct from p.hash or v.made_at < d.older_than)
      and d.kind || ' ' || d.id || ' ' || p.hash <> all (:left_out::text[])
    order by p.chunk
    limit :passages
  ) p on true
