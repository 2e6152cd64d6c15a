-- Takes items off the queue that lack no vector, but for those that were changed since they were read.
with complete as (
  select q.kind, q.id
  from embedding_queue q
    join unnest(:kinds::text[], :ids::text[], :seen::timestamptz[]) as r (kind, id, seen)
      on q.kind = r.kind and q.id = r.id and q.queued_at = r.seen
  where not exists (
    select from passages p left join vectors v on v.kind = p.kind and v.id = p.id and v.chunk = p.chunk
      and v.model = :model::smallint
    where p.kind = q.kind and p.id = q.id
      and (v.hash is distinct from p.hash or v.made_at < q.older_than)
  )
  order by q.kind, q.id
  for update of q skip locked
)
delete from embedding_queue q using complete c where q.kind = c.kind and q.id = c.id
returning q.kind, q.id
