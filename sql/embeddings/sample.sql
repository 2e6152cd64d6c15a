-- Which passages are learned from? Active ones of open projects and of the global scope whose hash lies below :below, after
-- (:kind, :id, :chunk), with their words.
select p.kind, p.id, p.chunk, p.hash, p.words::text as words
from passages p
where (p.kind, p.id, p.chunk) > (:kind, :id, :chunk) and p.active and p.hash < :below
  and p.project = any (
    array(select number from projects where fence_allows('read', '', 'open', slug, isolation)) || 0
  )
order by p.kind, p.id, p.chunk
limit :limit
