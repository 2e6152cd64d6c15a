-- The vectors of passages come as numbers and no longer as digits, which took longer to read than to keep.

drop function keep_folded;

-- Keeps what learned models read of passages that were written in this transaction: the arrays hold one entry for each
-- vector, the numbers of all of them one after the other. What the writer could not read (it holds the models in :held)
-- waits in fold_queue.
create function keep_folded(
  item_kinds text[], item_ids text[], kinds text[], ids text[], chunks integer[], models integer[], dims integer[],
  numbers real[], held integer[]
) returns void language plpgsql as
$$
begin
  if cardinality(kinds) > 0 then
    insert into vectors (kind, id, chunk, model, project, active, hash, e)
    select f.kind, f.id, f.chunk, f.model, p.project, p.active, p.hash, numbers[f.upto - f.size + 1 : f.upto]::halfvec
    from (
        select f.*, sum(f.size) over (order by f.nth)::int as upto
        from unnest(kinds, ids, chunks, models, dims) with ordinality as f (kind, id, chunk, model, size, nth)
      ) f
      join passages p on p.kind = f.kind and p.id = f.id and p.chunk = f.chunk
      join models m on m.number = f.model and m.state in ('filling', 'serving')
    order by f.kind, f.id, f.chunk, f.model
    on conflict (kind, id, chunk, model) do update set
      (project, active, hash, e, made_at) = (excluded.project, excluded.active, excluded.hash, excluded.e, loam_now());
  end if;
  if exists (
    select from models m where m.learned and m.state in ('filling', 'serving') and m.number <> all (held)
  ) then
    insert into fold_queue (kind, id)
    select distinct i.kind, i.id from unnest(item_kinds, item_ids) as i (kind, id) order by i.kind, i.id
    on conflict (kind, id) do update set queued_at = loam_now();
  end if;
end
$$;
