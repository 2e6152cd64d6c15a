-- What the owner's pages tell of knowledge at work: told with each event by whoever records it, so that no page
-- counts the log.

-- The zone of the owner's days and hours. A start that finds another one in its configuration counts anew.
create function owner_zone() returns text language sql stable as
$$ select coalesce((select value #>> '{}' from settings where key = 'owner_zone'), 'UTC') $$;

-- By hour and by day of that zone: how many items were put before agents, what their text took, and how many
-- different memories and sessions these were. Several rows are summed, so that none waits for another.
create table shown_totals (
  unit text collate "C" not null check (unit in ('hour', 'day')),
  since timestamptz(0) not null,              -- when the hour or day began
  slot smallint not null,                     -- tells the rows apart and means nothing else
  injections bigint not null,
  tokens bigint not null,
  memories bigint not null,
  sessions bigint not null,
  primary key (unit, since, slot)
) with (fillfactor = 70);

-- When a memory was last put before an agent, and a session was last given anything; and in which of the hours
-- and days up to then. Bit k stands for the k-th before it, so that a span is asked for without the log.
create table shown_lately (
  what text collate "C" not null check (what in ('memory', 'session')),
  key text collate "C" not null,              -- the memory's id; demand_session of the session
  last_at timestamptz(3) not null,
  hour bigint not null,                       -- hour_number and day_number of last_at
  day bigint not null,
  hours bigint not null,
  days bigint not null,
  new_hours bigint not null,                  -- the bits that the last change added
  new_days bigint not null,
  primary key (what, key)
) with (fillfactor = 70);
create index shown_lately_last on shown_lately (what, last_at);

-- The bits, as seen from so many hours or days later. What is too long ago is forgotten.
create function bits_later(bits bigint, later bigint) returns bigint language sql immutable parallel safe as
$$ select case when later <= 0 then bits when later > 62 then 0 else (bits << later::int) & 9223372036854775807 end $$;

-- The bits of a span: from the first to the last of so many hours or days ago.
create function bits_between(first bigint, last bigint) returns bigint language sql immutable parallel safe as
$$
  select case when last < 0 or first > 62 then 0
    else (9223372036854775807 >> (62 - least(last, 62))::int) & (9223372036854775807 << greatest(first, 0)::int) end
    & 9223372036854775807
$$;

-- Numbers of hours and days in a zone, one apart.
create function hour_number(at timestamptz, zone text) returns bigint language sql stable parallel safe as
$$ select floor(extract(epoch from date_trunc('hour', at, zone)) / 3600)::bigint $$;
create function day_number(at timestamptz, zone text) returns bigint language sql stable parallel safe as
$$ select ((at at time zone zone)::date - date '2000-01-01')::bigint $$;

-- One time at which something was put before an agent.
create type showing as (at timestamptz, session text, tokens bigint, items text[]);

create function showing_of(e events) returns showing language sql stable as
$$
  select row(e.ts, demand_session(e.session_id, e.payload),
    case when (e.payload ->> 'emitted_estimated_tokens')::bigint > 0 then (e.payload ->> 'emitted_estimated_tokens')::bigint
      else ceil(coalesce(octet_length(e.payload ->> 'content'), 0) / 4.0)::bigint end,
    array(select distinct item from jsonb_array_elements_text(
        case jsonb_typeof(e.payload -> 'item_ids') when 'array' then e.payload -> 'item_ids' else '[]' end
          || case when coalesce(e.item_id, '') <> '' then jsonb_build_array(e.item_id) else '[]' end) item
      where item <> ''))::showing
$$;

-- Of one day at most: what lies further back than the bits reach would not be known for the first of its hour.
create function count_showings(told showing[]) returns void language plpgsql as
$$
declare
  zone text := owner_zone();
begin
  with
    shown as (
      select t.at, t.session, t.tokens, t.items, hour_number(t.at, zone) as hour, day_number(t.at, zone) as day
      from unnest(told) t
    ),
    keys as (
      select 'session' as what, session as key, at, hour, day from shown where session is not null
      union all
      select 'memory', m.id, s.at, s.hour, s.day from shown s cross join unnest(s.items) item join memories m on m.id = item
    ),
    ends as (
      select what, key, max(at) as last_at, max(hour) as hour, max(day) as day from keys group by what, key
    ),
    fresh as (
      select what, key, e.last_at, e.hour, e.day,
        bit_or(bits_later(1, e.hour - k.hour)) as hours, bit_or(bits_later(1, e.day - k.day)) as days
      from keys k join ends e using (what, key)
      group by what, key, e.last_at, e.hour, e.day
    ),
    kept as (
      insert into shown_lately as l (what, key, last_at, hour, day, hours, days, new_hours, new_days)
      select what, key, last_at, hour, day, hours, days, hours, days from fresh order by what, key
      on conflict (what, key) do update set
        last_at = greatest(l.last_at, excluded.last_at),
        hour = greatest(l.hour, excluded.hour),
        day = greatest(l.day, excluded.day),
        hours = bits_later(l.hours, excluded.hour - l.hour) | bits_later(excluded.hours, l.hour - excluded.hour),
        days = bits_later(l.days, excluded.day - l.day) | bits_later(excluded.days, l.day - excluded.day),
        new_hours = bits_later(excluded.hours, l.hour - excluded.hour) & ~bits_later(l.hours, excluded.hour - l.hour),
        new_days = bits_later(excluded.days, l.day - excluded.day) & ~bits_later(l.days, excluded.day - l.day)
      returning what, last_at, new_hours, new_days
    ),
    firsts as (
      select 'hour' as unit, what, date_trunc('hour', last_at - k * interval '1 hour', zone) as since
      from kept, generate_series(0, 62) k where new_hours <> 0 and (new_hours >> k) & 1 = 1
      union all
      select 'day', what, ((last_at at time zone zone)::date - k)::timestamp at time zone zone
      from kept, generate_series(0, 62) k where new_days <> 0 and (new_days >> k) & 1 = 1
    ),
    moved as (
      select unit, since, 0::bigint as injections, 0::bigint as tokens,
        count(*) filter (where what = 'memory') as memories, count(*) filter (where what = 'session') as sessions
      from firsts group by unit, since
      union all
      select unit, date_trunc(unit, at, zone), sum(cardinality(items)), sum(tokens), 0, 0
      from shown, unnest(array['hour', 'day']) unit group by 1, 2
    )
  insert into shown_totals as t (unit, since, slot, injections, tokens, memories, sessions)
  select unit, since, pg_backend_pid() % 16, sum(injections), sum(tokens), sum(memories), sum(sessions)
  from moved group by unit, since order by unit, since
  on conflict (unit, since, slot) do update set
    injections = t.injections + excluded.injections, tokens = t.tokens + excluded.tokens,
    memories = t.memories + excluded.memories, sessions = t.sessions + excluded.sessions;
end
$$;

-- What is left of a session: its findings, and what it wrote. Of every session, so that a window of them is counted
-- from this table alone.
create table session_kept (
  session_id text collate "C" primary key,
  created_at timestamptz(3) not null,
  findings boolean not null,
  memories integer not null default 0,        -- times that it wrote one
  notes integer not null default 0,
  trials integer not null default 0
) with (fillfactor = 80);
create index session_kept_created on session_kept (created_at)
  include (session_id, findings, memories, notes, trials);

create function says_something(findings text) returns boolean language sql immutable parallel safe as
$$ select btrim(findings) not in ('', '(auto) session ended, no summary harvested') $$;

create function keep_session() returns trigger language plpgsql as
$$
begin
  insert into session_kept as k (session_id, created_at, findings)
  values (new.id, new.created_at, says_something(new.findings))
  on conflict (session_id) do update set findings = excluded.findings, created_at = excluded.created_at
  where (k.findings, k.created_at) <> (excluded.findings, excluded.created_at);
  return null;
end
$$;
create trigger sessions_kept_new after insert on sessions for each row execute function keep_session();
create trigger sessions_kept_findings after update of findings on sessions for each row
  when (old.findings is distinct from new.findings) execute function keep_session();
create function forget_kept() returns trigger language plpgsql as
$$
begin
  delete from session_kept where session_id = old.id;
  return null;
end
$$;
create trigger sessions_kept_gone after delete on sessions for each row execute function forget_kept();

-- The log is the one way in, whoever writes to it. An event may come before its session, as in an import.
create function tell_shown() returns trigger language plpgsql as
$$
declare
  told showing[];
begin
  for told in
    select array_agg(showing_of(row(a.*)::events)) from added a where a.kind = 'retrieval.injected'
    group by date_trunc('day', a.ts) order by date_trunc('day', a.ts)
  loop
    perform count_showings(told);
  end loop;
  insert into session_kept as k (session_id, created_at, findings, memories, notes, trials)
  select session_id, min(ts), false, count(*) filter (where kind = 'memory.written'),
    count(*) filter (where kind = 'note.written'), count(*) filter (where kind = 'trial.recorded')
  from added
  where kind in ('memory.written', 'note.written', 'trial.recorded') and coalesce(session_id, '') <> ''
  group by session_id order by session_id
  on conflict (session_id) do update set memories = k.memories + excluded.memories,
    notes = k.notes + excluded.notes, trials = k.trials + excluded.trials;
  return null;
end
$$;
create trigger events_tell_shown after insert on events
  referencing new table as added for each statement execute function tell_shown();

-- Makes everything above anew, in another zone when one is given.
create function rebuild_shown(zone text default null) returns void language plpgsql as
$$
declare
  batch showing[];
begin
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
select rebuild_shown();

-- How often an item was put before agents in a span.
create index event_items_shown on event_items (item_id, ts) where class in ('shown', 'recall', 'prompt');
-- What failed, and what an agent did wrong, however much else there is in the log.
create index events_failed on events (ts) where kind = 'tool.call' and payload @> '{"is_error": true}';
create index events_mishap on events (ts) where kind = 'agent.mishap';
-- Which projects are at work.
create index sessions_project on sessions (project, updated_at desc);
