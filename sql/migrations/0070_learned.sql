-- Models that are learned from the store's own passages, and vectors of several models beside each other: a new model
-- is filled while the one before it answers.

alter table vectors drop constraint vectors_pkey;
alter table vectors add primary key (kind, id, chunk, model);

alter table models
  add column learned boolean not null default false,
  add column state text collate "C" not null default 'serving'
    check (state in ('making', 'filling', 'serving', 'leaving')),
  add column since timestamptz(3) not null default loam_now(),    -- of this state
  add column after xid8 not null default pg_current_xact_id(),    -- the transaction that brought it about
  add column made_at timestamptz(3) not null default loam_now(),
  add column passages integer not null default 0,                 -- that it was learned from
  add column checked jsonb;                                       -- its scale, its weight, and how well it did

-- The bytes of a learned model, in parts that are quickly written.
create table model_parts (
  model smallint not null references models (number) on delete cascade,
  nth integer not null,
  part bytea not null,
  primary key (model, nth)
);

-- Items that were written by a process which did not hold every learned model.
create table fold_queue (
  kind text collate "C" not null,
  id text collate "C" not null,
  queued_at timestamptz(3) not null default loam_now(),
  primary key (kind, id)
);

-- Keeps what learned models read of passages that were written in this transaction: the arrays hold one entry for each
-- vector. What the writer could not read (it holds the models in :held) waits in fold_queue.
create function keep_folded(
  item_kinds text[], item_ids text[], kinds text[], ids text[], chunks integer[], numbers integer[], texts text[],
  held integer[]
) returns void language plpgsql as
$$
begin
  if cardinality(texts) > 0 then
    insert into vectors (kind, id, chunk, model, project, active, hash, e)
    select f.kind, f.id, f.chunk, f.number, p.project, p.active, p.hash, f.e::halfvec
    from unnest(kinds, ids, chunks, numbers, texts) as f (kind, id, chunk, number, e)
      join passages p on p.kind = f.kind and p.id = f.id and p.chunk = f.chunk
      join models m on m.number = f.number and m.state in ('filling', 'serving')
    order by f.kind, f.id, f.chunk, f.number
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
