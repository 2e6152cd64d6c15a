-- What do the items after (:seen, :kind, :id) say that wait to be folded in? Their passages with their words, of at most :items
-- items; one without passages has a chunk of null.
select q.kind, q.id, q.queued_at as seen, p.chunk, p.hash, p.words::text as words
from (
    select kind, id, queued_at from fold_queue
    where (queued_at, kind, id) > (:seen::timestamptz, :kind, :id)
    order by queued_at, kind, id
    limit :items
  ) q
  left join passages p on p.kind = q.kind and p.id = q.id
order by q.queued_at, q.kind, q.id
