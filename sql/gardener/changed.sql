-- Which active memories were written since :at, up to the one with this id, oldest first? Stages tell of the moment
-- and are no facts to be compared. `waits`: its vector is still to come. Those of the moment :at itself are looked for
-- apart: an import may have brought thousands of them.
with next as materialized (
  (
    select id from memories
    where updated_at = :at::timestamptz and id < :id and invalid_at is null and kind <> 'stage'
    order by updated_at, id desc
    limit :most
  )
  union all
  (
    select id from memories
    where updated_at > :at::timestamptz and invalid_at is null and kind <> 'stage'
    order by updated_at, id desc
    limit :most
  )
)
select m.id, m.name, m.project, m.kind, m.description, left(m.body, :length) as body, m.favorite, m.updated_at,
  exists (
    select from embedding_queue q
    where q.kind = 'memory' and q.id = m.id and m.updated_at > loam_now() - interval '1 day'
  ) as waits
from next n join memories m on m.id = n.id
order by m.updated_at, m.id desc
limit :most
