-- What the statistics of retrieval lost or would lose: misses that were counted before the log was read, when a follow-up
-- of an older export had been shown, and a tidying that waits for whoever waits for it.

-- Counts misses from the log, for every hour and day of which it still holds more than was counted: the log drops them
-- after a while, and what it has dropped stays counted. Nothing may be told meanwhile.
create function count_misses() returns void language sql as
$$
insert into miss_totals as t (unit, since, prompts, told, searches)
select unit, date_trunc(unit, ts, 'UTC'), count(*) filter (where is_missed(kind, payload)),
  count(*) filter (where kind = 'hook.prompt' and not is_missed(kind, payload)), count(*) filter (where kind = 'recall.miss')
from events, unnest(array['hour', 'day']) unit
where kind in ('hook.prompt', 'recall.miss') and (unit = 'day' or ts > loam_now() - interval '33 days')
group by 1, 2
on conflict (unit, since) do update set
  prompts = greatest(t.prompts, excluded.prompts), told = greatest(t.told, excluded.told),
  searches = greatest(t.searches, excluded.searches)
where (excluded.prompts, excluded.told, excluded.searches) is distinct from (t.prompts, t.told, t.searches)
$$;

-- Finds when what was followed up had been shown, where that is not kept: an older version knew only that it was.
create function find_pulled() returns void language sql as
$$
update item_uses u set pulled_at = x.at
from (
  select project, item_id, surface, max(ts) as at
  from (
    select *, count(*) filter (where pull) over (
      partition by project, item_id order by ts
      range between interval '2 seconds' preceding and interval '24 hours' following) as pulls
    from (
      select i.item_id, i.ts, i.class in ('read', 'recall') as pull,
        case when i.class = 'read' then 'read' else surface_of(e.payload) end as surface,
        coalesce(case when i.class = 'read' then s.project end, e.project, '') as project
      from event_items i join events_acts e on e.id = i.event_id left join sessions s on s.id = e.session_id
      where i.item_kind <> '' and (i.class in ('read', 'recall')
        or i.class = 'shown' and surface_of(e.payload) in ('session-start', 'subagent-start'))
    ) told
  ) followed
  where not pull and pulls > 0
  group by project, item_id, surface
) x
where u.id = x.item_id and u.surface = x.surface and u.project = x.project and u.pulled and u.pulled_at is null;
$$;

-- Forgets the hours and days in which no window begins any more, and folds the days that are over. Nobody is told of
-- anything meanwhile. Rows that a session holds are left for the next time: whoever holds one may wait for another.
create or replace function tidy_shown() returns void language plpgsql as
$$
declare
  old timestamptz := loam_now() - interval '33 days';
  days timestamptz := loam_now() - interval '3 days';
begin
  perform pg_advisory_xact_lock(hashtextextended('loam tells events', 0));
  delete from shown_memories where unit in ('hour', 'day') and since < old;
  delete from shown_surfaces where unit = 'hour' and since < old;
  delete from miss_totals where unit = 'hour' and since < old;
  -- The window before the longest one begins in these.
  delete from shown_totals where unit = 'hour' and since < loam_now() - interval '63 days';
  delete from kept_totals where (unit, since, slot) in (
    select unit, since, slot from kept_totals where unit = 'hour' and since < old
    order by since, slot for update skip locked
  );

  with gone as (
    delete from kept_totals where (unit, since, slot) in (
      select unit, since, slot from kept_totals where unit = 'day' and since < days and slot <> 0
      order by since, slot for update skip locked
    )
    returning since, total, covered, findings, memories, notes, trials
  )
  insert into kept_totals as t (unit, since, slot, total, covered, findings, memories, notes, trials)
  select 'day', since, 0, sum(total), sum(covered), sum(findings), sum(memories), sum(notes), sum(trials)
  from gone group by since order by since
  on conflict (unit, since, slot) do update set
    total = t.total + excluded.total, covered = t.covered + excluded.covered, findings = t.findings + excluded.findings,
    memories = t.memories + excluded.memories, notes = t.notes + excluded.notes, trials = t.trials + excluded.trials;
end
$$;

-- Makes everything above anew, in another zone when one is given. What the log has dropped stays counted.
create or replace function rebuild_shown(zone text default null) returns void language plpgsql as
$$
begin
  -- What is still to be told would be counted twice: until the end nothing is added to it.
  perform pg_advisory_xact_lock(hashtextextended('loam tells events', 0));
  lock table untold in share row exclusive mode;
  while tell_events(200) > 0 loop
  end loop;
  lock table shown_totals, shown_lately, memory_reach, shown_memories, shown_surfaces, session_kept, kept_totals, miss_totals
    in share row exclusive mode;
  if zone is not null then
    perform date_trunc('day', loam_now(), zone);
    insert into settings (key, value) values ('owner_zone', to_jsonb(zone))
    on conflict (key) do update set value = excluded.value, updated_at = loam_now();
  end if;
  zone := owner_zone();
  delete from shown_totals;
  delete from shown_lately;
  delete from shown_memories;
  delete from shown_surfaces;
  insert into memory_reach (id, project, kind, active, created_at, updated_at, ended_at)
  select m.id, m.project, m.kind, m.invalid_at is null, m.created_at, m.updated_at, m.invalid_at
  from memories m where not exists (select from memory_reach r where r.id = m.id);
  with
    shown as materialized (
      select s.at, s.session, s.tokens, s.items, s.surface,
        date_trunc('hour', s.at, zone) as in_hour, date_trunc('day', s.at, zone) as in_day,
        hour_number(s.at, zone) as hour, day_number(s.at, zone) as day
      from events e cross join lateral showing_of(e) s where e.kind = 'retrieval.injected'
    ),
    of_memories as materialized (
      select r.id, r.number, s.at, s.in_hour, s.in_day, s.hour, s.day, s.tokens::float8 / cardinality(s.items) as tokens,
        s.surface = 'session-start' as briefed, s.surface in ('recall', 'user-prompt-submit') as wanted
      from shown s cross join unnest(s.items) item join memory_reach r on r.id = item
    ),
    counted as (
      select unit, case unit when 'hour' then in_hour else in_day end as since,
        sum(cardinality(items)) as injections, sum(tokens) as tokens, 0::bigint as memories, count(distinct session) as sessions
      from shown, unnest(array['hour', 'day']) unit group by 1, 2
      union all
      select unit, case unit when 'hour' then in_hour else in_day end, 0, 0, count(distinct number), 0
      from of_memories, unnest(array['hour', 'day']) unit group by 1, 2
    ),
    totals as (
      insert into shown_totals (unit, since, slot, injections, tokens, memories, sessions)
      select unit, since, 0, sum(injections), sum(tokens), sum(memories), sum(sessions) from counted group by unit, since
    ),
    ways as (
      insert into shown_surfaces (unit, since, surface, events, items)
      select unit, case unit when 'hour' then in_hour else in_day end, surface, count(*), sum(cardinality(items))
      from shown, unnest(array['hour', 'day']) unit group by 1, 2, 3
    ),
    sessions as (
      insert into shown_lately (what, key, last_at, hour, day, hours, days, new_hours, new_days)
      select 'session', session, max(at), e.hour, e.day, bit_or(bits_later(1, e.hour - s.hour)), bit_or(bits_later(1, e.day - s.day)), 0, 0
      from shown s join (select session, max(hour) as hour, max(day) as day from shown group by session) e using (session)
      group by session, e.hour, e.day
    ),
    by_memory as (
      insert into shown_memories (unit, since, memory, times, tokens, briefed, sessions)
      select unit, case unit when 'hour' then in_hour else in_day end, number, count(*), sum(tokens), count(*) filter (where briefed), 0
      from of_memories, unnest(array['hour', 'day']) unit
      where unit = 'day' or at > loam_now() - interval '32 days'
      group by 1, 2, 3
    ),
    ends as (
      select id, max(at) as last_at, max(hour) as hour, max(day) as day, count(*) as times, sum(tokens) as tokens,
        count(*) filter (where briefed) as briefed, max(at) filter (where briefed) as briefed_at,
        max(at) filter (where wanted) as wanted_at
      from of_memories group by id
    ),
    bits as (
      select id, bit_or(bits_later(1, e.hour - m.hour)) as hours, bit_or(bits_later(1, e.day - m.day)) as days
      from of_memories m join ends e using (id) group by id
    )
  update memory_reach r set last_at = e.last_at, hour = e.hour, day = e.day, hours = coalesce(b.hours, 0),
    days = coalesce(b.days, 0), times = coalesce(e.times, 0), tokens = coalesce(e.tokens, 0), briefed = coalesce(e.briefed, 0),
    sessions = 0, briefed_at = e.briefed_at, wanted_at = greatest(e.wanted_at,
      (select max(v.ts) from events v where v.kind = 'memory.read' and v.item_id = r.id))
  from memory_reach k left join ends e using (id) left join bits b using (id)
  where k.id = r.id;

  -- An export of an older version does not say when a session was last shown a memory.
  update session_items i set last_shown_at = x.at
  from (
    select e.session_id, item, max(e.ts) as at
    from events e, jsonb_array_elements_text(
      case jsonb_typeof(e.payload -> 'item_ids') when 'array' then e.payload -> 'item_ids' else '[]' end) item
    where e.kind = 'retrieval.injected' and e.session_id is not null
      and exists (select from session_items where last_shown_at is null and shown_at is not null)
    group by e.session_id, item
  ) x join memory_reach r on r.id = x.item
  where i.session_id = x.session_id and i.item_id = x.item and i.shown_at is not null and i.last_shown_at is null;
  update shown_memories t set sessions = x.sessions
  from (
    select unit, date_trunc(unit, i.last_shown_at, zone) as since, r.number, count(*) as sessions
    from session_items i join memory_reach r on r.id = i.item_id, unnest(array['hour', 'day']) unit
    where i.last_shown_at is not null group by 1, 2, 3
  ) x
  where t.unit = x.unit and t.since = x.since and t.memory = x.number;
  update memory_reach r set sessions = x.sessions
  from (select item_id, count(*) as sessions from session_items where last_shown_at is not null group by item_id) x
  where r.id = x.item_id;

  perform count_misses();
  perform find_pulled();

  delete from session_kept;
  delete from kept_totals;
  insert into session_kept (session_id, created_at, findings, memories, notes, trials)
  select s.id, s.created_at, says_something(s.findings), coalesce(w.memories, 0), coalesce(w.notes, 0), coalesce(w.trials, 0)
  from sessions s left join (
    select session_id, count(*) filter (where kind = 'memory.written') as memories,
      count(*) filter (where kind = 'note.written') as notes, count(*) filter (where kind = 'trial.recorded') as trials
    from events where kind in ('memory.written', 'note.written', 'trial.recorded') group by session_id
  ) w on w.session_id = s.id;
end
$$;

-- What was still to be told at the last change was counted as the whole history of misses.
do $$
begin
  perform pg_advisory_xact_lock(hashtextextended('loam tells events', 0));
  lock table untold in share row exclusive mode;
  while tell_events(200) > 0 loop
  end loop;
  perform count_misses();
end
$$;
