-- Statistics are told of events in the background, many at a time. Triggers that kept them in each insert took more
-- time than the calls that they told of.

-- Events that the statistics have not been told of yet. One row for each insert; nobody waits for another.
create table untold (
  number bigint generated always as identity primary key,
  ids text[] not null,
  times timestamptz(3)[] not null
);
-- Rows come and go with every insert: what is dead must not pile up.
alter table untold set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create function keep_untold() returns trigger language plpgsql as
$$
begin
  insert into untold (ids, times)
  select array_agg(id), array_agg(ts) from added having count(*) > 0;
  return null;
end
$$;

drop trigger events_count on events;
drop function count_events();
drop trigger events_tell_items on events;
drop function tell_items();
drop trigger events_tell_shown on events;
drop function tell_shown();
drop trigger events_pulse on events;
drop function count_pulse();
drop trigger events_tell_sessions on events;
drop function tell_sessions();
create trigger events_untold after insert on events
  referencing new table as added for each statement execute function keep_untold();

-- As before, of these events: how many events of a kind a project has had.
create function count_events(added events[]) returns void language plpgsql as
$$
declare
  one record;
  mine bigint;
begin
  for one in
    select coalesce(project, '') as project, kind, count(*) as events from unnest(added) group by 1, 2 order by 1, 2
  loop
    select c.slot into mine from log_counts c
    where c.project = one.project and c.kind = one.kind
    order by c.slot limit 1 for update skip locked;
    if found then
      update log_counts c set events = c.events + one.events
      where c.project = one.project and c.kind = one.kind and c.slot = mine;
    else
      insert into log_counts as c (project, kind, slot, events)
      values (one.project, one.kind, pg_current_xact_id()::text::bigint, one.events)
      on conflict (project, kind, slot) do update set events = c.events + excluded.events;
    end if;
  end loop;
end
$$;

-- As before, of these events: which items were told, asked for or got wrong. Of an injection the event says only
-- ids; the kind is that of the item as it stands in the index.
create function tell_items(added events[]) returns void language plpgsql as
$$
declare
  told event_items[];
begin
  if not exists (select from unnest(added) where kind in ('memory.read', 'note.read', 'retrieval.injected', 'agent.mishap')) then
    return;
  end if;
  with
    named as (
      select e.id as event_id, e.ts, e.transport, left(e.kind, -5) as item_kind, e.item_id, 'read' as class
      from unnest(added) e
      where e.kind in ('memory.read', 'note.read') and e.item_id is not null
      union
      select e.id, e.ts, e.transport, coalesce(found.kind, ''), item.id,
        case
          when e.kind = 'agent.mishap' then 'mishap'
          when e.payload ->> 'source' = 'recall' then 'recall'
          when e.payload ->> 'hook' = 'user-prompt-submit' then 'prompt'
          else 'shown'
        end
      from unnest(added) e,
        jsonb_array_elements_text(case jsonb_typeof(e.payload -> 'item_ids') when 'array' then e.payload -> 'item_ids' else '[]' end)
          as item (id)
        left join lateral (
          select p.kind from passages p
          where p.kind in ('memory', 'note', 'task', 'session', 'trial') and p.id = item.id
          limit 1
        ) found on true
      where e.kind in ('retrieval.injected', 'agent.mishap') and item.id is not null
    ),
    written as (
      insert into event_items (event_id, ts, transport, item_kind, item_id, class)
      select event_id, ts, transport, item_kind, item_id, class from named
      returning event_items
    )
  select array_agg(event_items) into told from written;
  if told is not null then
    perform credit_items(told);
  end if;
end
$$;

-- As before, of these events: what was put before agents by hour and day, and what sessions wrote. An event may come
-- before its session.
create function tell_shown(added events[]) returns void language plpgsql as
$$
declare
  told showing[];
begin
  for told in
    select array_agg(showing_of(row(a.*)::events)) from unnest(added) a where a.kind = 'retrieval.injected'
    group by date_trunc('day', a.ts) order by date_trunc('day', a.ts)
  loop
    perform count_showings(told);
  end loop;
  insert into session_kept as k (session_id, created_at, findings, memories, notes, trials)
  select session_id, min(ts), false, count(*) filter (where kind = 'memory.written'),
    count(*) filter (where kind = 'note.written'), count(*) filter (where kind = 'trial.recorded')
  from unnest(added)
  where kind in ('memory.written', 'note.written', 'trial.recorded') and coalesce(session_id, '') <> ''
  group by session_id order by session_id
  on conflict (session_id) do update set memories = k.memories + excluded.memories,
    notes = k.notes + excluded.notes, trials = k.trials + excluded.trials;
end
$$;

-- As before, of these events: what happened in the last five minutes. An event of long ago is not counted: nobody
-- asks for its time any more.
create function count_pulse(added events[]) returns void language plpgsql as
$$
begin
  insert into pulse as p (since, session_id, backend, events)
  select pulse_of(ts), coalesce(session_id, ''), pg_backend_pid(), count(*)
  from unnest(added) where ts > loam_now() - interval '2 hours'
  group by 1, 2 order by 1, 2
  on conflict (since, session_id, backend) do update set events = p.events + excluded.events;
end
$$;

-- As before, of these events: what each session has done, was shown and read.
create function tell_sessions(added events[]) returns void language plpgsql as
$$
begin
  insert into session_counts as c (session_id, slot, calls, failed, prompts, misses, mishaps, written)
  select session_id, pg_backend_pid() % 64,
    count(*) filter (where kind = 'tool.call'),
    count(*) filter (where kind = 'tool.call' and payload @> '{"is_error": true}'),
    count(*) filter (where kind = 'hook.prompt'),
    count(*) filter (where kind = 'recall.miss'),
    count(*) filter (where kind = 'agent.mishap'),
    count(*) filter (where kind in ('memory.written', 'note.written', 'trial.recorded'))
  from unnest(added)
  where session_id is not null
    and kind in ('tool.call', 'hook.prompt', 'recall.miss', 'agent.mishap', 'memory.written', 'note.written',
      'trial.recorded')
  group by session_id order by session_id
  on conflict (session_id, slot) do update set
    calls = c.calls + excluded.calls, failed = c.failed + excluded.failed, prompts = c.prompts + excluded.prompts,
    misses = c.misses + excluded.misses, mishaps = c.mishaps + excluded.mishaps,
    written = c.written + excluded.written;

  if exists (select from unnest(added) where kind in ('retrieval.injected', 'memory.read', 'note.read')) then
    insert into session_items as known (session_id, item_id, shown_at, read_at)
    select session_id, item, min(shown_at), max(read_at)
    from (
      select session_id, item, ts as shown_at, null::timestamptz as read_at
      from unnest(added), jsonb_array_elements_text(
        case jsonb_typeof(payload -> 'item_ids') when 'array' then payload -> 'item_ids' else '[]' end) item
      where kind = 'retrieval.injected' and session_id is not null and item is not null
      union all
      select session_id, item_id, null, ts from unnest(added)
      where kind in ('memory.read', 'note.read') and session_id is not null and item_id is not null
    ) items
    group by session_id, item order by session_id, item
    on conflict (session_id, item_id) do update set
      shown_at = least(known.shown_at, excluded.shown_at), read_at = greatest(known.read_at, excluded.read_at)
    where excluded.read_at is not null or known.shown_at is null;
  end if;
end
$$;

-- Tells the statistics of some :most events, the oldest first, and returns of how many inserts they were. One after the
-- other: who comes second finds told what the first one had in hand. Exactly once: what is told goes with the
-- transaction that tells it.
create function tell_events(most integer) returns integer language plpgsql as
$$
declare
  inserts integer;
  added events[];
begin
  perform pg_advisory_xact_lock(hashtextextended('loam tells events', 0));
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
    return inserts;
  end if;
  perform count_events(added);
  perform tell_items(added);
  perform tell_shown(added);
  perform count_pulse(added);
  perform tell_sessions(added);
  return inserts;
end
$$;

-- As before, and of events that have not been told of.
create or replace function rebuild_shown(zone text default null) returns void language plpgsql as
$$
declare
  batch showing[];
begin
  -- What is still to be told would be counted twice: until the end nothing is added to it.
  perform pg_advisory_xact_lock(hashtextextended('loam tells events', 0));
  lock table untold in share row exclusive mode;
  while tell_events(200) > 0 loop
  end loop;
  lock table shown_totals, shown_lately, session_kept in share row exclusive mode;
  if zone is not null then
    perform date_trunc('day', loam_now(), zone);
    insert into settings (key, value) values ('owner_zone', to_jsonb(zone))
    on conflict (key) do update set value = excluded.value, updated_at = loam_now();
  end if;
  delete from shown_totals;
  delete from shown_lately;
  for batch in
    select array_agg(showing_of(e)) from events e where e.kind = 'retrieval.injected'
    group by date_trunc('day', e.ts) order by date_trunc('day', e.ts)
  loop
    perform count_showings(batch);
  end loop;
  delete from session_kept;
  insert into session_kept (session_id, created_at, findings, memories, notes, trials)
  select s.id, s.created_at, says_something(s.findings), coalesce(w.memories, 0), coalesce(w.notes, 0), coalesce(w.trials, 0)
  from sessions s left join (
    select session_id, count(*) filter (where kind = 'memory.written') as memories,
      count(*) filter (where kind = 'note.written') as notes, count(*) filter (where kind = 'trial.recorded') as trials
    from events where kind in ('memory.written', 'note.written', 'trial.recorded') group by session_id
  ) w on w.session_id = s.id;
end
$$;
