-- What do the items say that wait to be folded in? Their passages with their words, of at most :items items; one without passages
-- has a chunk of null.
select q.kind, q.id, q.queued_at as seen, p.chunk, p.hash, p.words::text as words
from (select kind, id, queued_at from fold_queue order by queued_at limit :items) q
  left join passages p on p.kind = q.kind and p.id = q.id
