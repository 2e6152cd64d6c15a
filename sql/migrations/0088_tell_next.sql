-- Tells the statistics of some :most changes of memories and of some :most events, the oldest first. `told` says of how
-- many writes they were, and `more` whether anything is left: who tells until all is told need not ask once more in
-- vain. One after the other: who comes second finds told what the first one had in hand. Exactly once: what is told goes
-- with the transaction that tells it. Neither waits for the other.
create function tell_next(most integer, out told integer, out more boolean) language plpgsql as
$$
declare
  inserts integer;
  added events[];
begin
  perform pg_advisory_xact_lock(hashtextextended('loam tells events', 0));
  told := tell_memories(most);
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
  told := told + inserts;
  more := told > 0 and (exists (select from untold) or exists (select from untold_memories));
  if added is null then
    return;
  end if;
  if exists (select from untold_memories) then
    perform know_memories(added);
  end if;
  perform count_events(added);
  perform tell_items(added);
  perform tell_shown(added);
  perform count_pulse(added);
  perform tell_sessions(added);
end
$$;

-- As before: of how many writes they were.
create or replace function tell_events(most integer) returns integer language sql as
$$ select told from tell_next(most) $$;
