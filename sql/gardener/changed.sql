-- Which active memories were written since :at, up to the one with this id, oldest first? Stages tell of the moment
-- and are no facts to be compared. `waits`: its vector is still to come.
select m.id, m.name, m.project, m.kind, m.description, left(m.body, :length) as body, m.favorite, m.updated_at,
  exists (
    select from embedding_queue q
    where q.kind = 'memory' and q.id = m.id and m.updated_at > loam_now() - interval '1 day'
  ) as waits
from memories m
where m.invalid_at is null and m.kind <> 'stage'
  and m.updated_at >= :at::timestamptz and (m.updated_at > :at::timestamptz or m.id < :id)
order by m.updated_at, m.id desc
limit :most
