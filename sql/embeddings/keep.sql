-- Keeps what was made of passages that still say what was read. One that is being written meanwhile is
-- left out: that write may only move it, so the item has to stay queued. Tells which were kept.
with
  made as materialized (
    select kind, id, chunk, hash, e
    from unnest(:kinds::text[], :ids::text[], :chunks::int[], :hashes::text[], :vectors::text[])
      as m (kind, id, chunk, hash, e)
  ),
  there as materialized (
    select m.kind, m.id, m.chunk, m.hash, m.e, p.project, p.active
    from made m join passages p on p.kind = m.kind and p.id = m.id and p.chunk = m.chunk and p.hash = m.hash
    order by m.kind, m.id, m.chunk
    for share of p skip locked
  )
insert into vectors (kind, id, chunk, model, project, active, hash, e)
select kind, id, chunk, :model::smallint, project, active, hash, e::halfvec
from there
on conflict (kind, id, chunk, model) do update set
  (project, active, hash, e, made_at) =
    (excluded.project, excluded.active, excluded.hash, excluded.e, loam_now())
returning kind, id, chunk
