-- Figures of the console are asked for again and again, and most of the time nothing that they count has changed. A number
-- that grows with each change of what they count says so: no row of it is locked, and it is never less than what can be seen.

create sequence figure_changes;

create function figures_changed() returns trigger language plpgsql as
$$
begin
  perform nextval('figure_changes');
  return null;
end
$$;

do $$
declare
  counted text;
begin
  -- After a statement, when its transaction has its number: figures_stand() sees it at work until it ends.
  foreach counted in array array[
    'events', 'memories', 'notes', 'memory_reach', 'shown_memories', 'shown_surfaces', 'shown_totals', 'shown_lately',
    'item_uses', 'session_items', 'miss_totals', 'kept_totals', 'session_kept', 'session_totals', 'task_totals', 'projects'
  ] loop
    execute format('create trigger figures after insert or update or delete or truncate on %I execute function figures_changed()',
      counted);
  end loop;
end
$$;

-- The number of changes so far, and whether all of them can be seen by a statement that begins later: null while anybody
-- writes. What time alone changes in figures is told by steps of five minutes.
create function figures_stand(out changes bigint, out step bigint) language plpgsql as
$$
begin
  select last_value into changes from figure_changes;
  -- Who made it greater had the number of its transaction before, and holds the lock on that until its end can be seen.
  select floor(extract(epoch from loam_now()) / 300) into step where not exists (
    select from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and a.datname = current_database()
  );
end
$$;

-- Few memories are believed no longer; a list of memories shows these last.
create index memories_ended on memories (invalid_at desc, id) where invalid_at is not null;

-- How many items are asked for at all: without it a third is taken for granted.
create statistics item_stats_asked on (read_raw + recall_raw + prompt_raw) from item_stats;

-- As before; where there is nothing to tell, nothing is written, not even no rows.
create or replace function tell_memories(most integer) returns integer language plpgsql as
$$
declare
  writes integer;
begin
  if not exists (select from untold_memories) then
    return 0;
  end if;
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
