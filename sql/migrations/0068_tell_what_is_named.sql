-- Events are told at once, however many changes of memories wait before them, and a memory takes one number for ever.

-- As before. A memory that is known is only changed: an insert that meets it would use up a number of its own each time,
-- of which there are two thousand million.
create or replace function tell_memories(most integer) returns integer language plpgsql as
$$
declare
  writes integer;
begin
  with
    taken as (
      delete from untold_memories where number in (
        select number
        from (
          select number, sum(size) over (order by number) - size as before
          from (select number, cardinality(ids) as size from untold_memories order by number limit most) first
        ) counted
        where most is null or before < most
      )
      returning ids
    ),
    changed as materialized (select distinct id from taken, unnest(ids) id),
    known as (
      update memory_reach r set project = m.project, kind = m.kind, active = m.invalid_at is null,
        created_at = m.created_at, updated_at = m.updated_at, ended_at = m.invalid_at
      from changed c join memories m using (id)
      where r.id = m.id and (r.project, r.kind, r.active, r.created_at, r.updated_at, r.ended_at) is distinct from
        (m.project, m.kind, m.invalid_at is null, m.created_at, m.updated_at, m.invalid_at)
    ),
    new as (
      insert into memory_reach (id, project, kind, active, created_at, updated_at, ended_at)
      select m.id, m.project, m.kind, m.invalid_at is null, m.created_at, m.updated_at, m.invalid_at
      from changed c join memories m using (id)
      where not exists (select from memory_reach r where r.id = m.id)
      order by m.id
    ),
    -- What is counted of it stays: its file may come back.
    gone as (
      update memory_reach r set active = false, created_at = null, ended_at = null
      from changed c where r.id = c.id and not exists (select from memories m where m.id = c.id)
    )
  select count(*) into writes from taken;
  return writes;
end
$$;

-- Makes known those memories that events name and whose writing is still to be told.
create function know_memories(added events[]) returns void language sql as
$$
insert into memory_reach (id, project, kind, active, created_at, updated_at, ended_at)
select m.id, m.project, m.kind, m.invalid_at is null, m.created_at, m.updated_at, m.invalid_at
from (
  select distinct item from unnest(added) a, unnest((showing_of(row(a.*)::events)).items) item
  where a.kind in ('retrieval.injected', 'memory.read')
) named join memories m on m.id = named.item
where not exists (select from memory_reach r where r.id = m.id)
order by m.id
$$;

-- Tells the statistics of some :most changes of memories and of some :most events, the oldest first, and returns of how
-- many writes they were. One after the other: who comes second finds told what the first one had in hand. Exactly once:
-- what is told goes with the transaction that tells it. Neither waits for the other.
create or replace function tell_events(most integer) returns integer language plpgsql as
$$
declare
  writes integer;
  inserts integer;
  added events[];
begin
  perform pg_advisory_xact_lock(hashtextextended('loam tells events', 0));
  writes := tell_memories(most);
  with
    taken as (
      delete from untold where number in (
        select number
        from (
          select number, sum(size) over (order by number) - size as before
          from (select number, cardinality(ids) as size from untold order by number limit most) first
        ) counted
        where before < most
      )
      returning ids, times
    )
  select (select count(*) from taken), array_agg(e.event order by n.ts, n.id) into inserts, added
  from taken, unnest(ids, times) as n (id, ts),
    lateral (select e as event from events e where e.ts = n.ts and e.id = n.id limit 1) e;
  if added is null then
    return inserts + writes;
  end if;
  if exists (select from untold_memories) then
    perform know_memories(added);
  end if;
  perform count_events(added);
  perform tell_items(added);
  perform tell_shown(added);
  perform count_pulse(added);
  perform tell_sessions(added);
  return inserts + writes;
end
$$;
