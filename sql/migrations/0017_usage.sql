-- What has been counted: told with each event by whoever records it, so that nobody counts the log.

-- How many events of a kind a project has had, those included that are pruned. Their sum counts: a
-- transaction adds to a row that no other has in hand, so that none waits for another.
create table log_counts (
  project text collate "C" not null,          -- '' is the global scope, and events of no project
  kind text collate "C" not null,
  slot bigint not null,                       -- tells the rows apart and means nothing else
  events bigint not null,
  primary key (project, kind, slot)
) with (fillfactor = 70);

create function count_events() returns trigger language plpgsql as
$$
declare
  one record;
  mine bigint;
begin
  for one in
    select coalesce(project, '') as project, kind, count(*) as events from added group by 1, 2 order by 1, 2
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
  return null;
end
$$;
create trigger events_count after insert on events
  referencing new table as added for each statement execute function count_events();

insert into log_counts (project, kind, slot, events)
select coalesce(project, ''), kind, 0, count(*) from events group by 1, 2;

-- How an item was put before agents and asked for, by where they work: what item_stats says in sum.
create table item_uses (
  project text collate "C" not null,          -- of the session that asked or was told
  kind text collate "C" not null,
  id text collate "C" not null,
  surface text collate "C" not null,          -- read; else the client's event, or the tool's word for it
  times integer not null,
  last_at timestamptz(3) not null,
  pulled boolean not null,                    -- of a briefing: read or found by recall within the day
  raw float8 not null,                        -- as in item_stats
  as_of timestamptz(3) not null,
  primary key (id, surface, project)
);
create index item_uses_pushed on item_uses (surface, id, project, pulled)
  where surface in ('session-start', 'subagent-start');

-- Their times by project and surface. Several rows are summed, so that transactions seldom wait for each other.
create table use_totals (
  project text collate "C" not null,
  surface text collate "C" not null,
  slot smallint not null,
  times bigint not null,
  primary key (project, surface, slot)
) with (fillfactor = 70);

create function add_use_totals(moved use_totals[]) returns void language plpgsql as
$$
begin
  insert into use_totals as t (project, surface, slot, times)
  select m.project, m.surface, pg_backend_pid() % 64, sum(m.times) from unnest(moved) m
  group by m.project, m.surface having sum(m.times) <> 0 order by m.project, m.surface
  on conflict (project, surface, slot) do update set times = t.times + excluded.times;
end
$$;
create function count_new_uses() returns trigger language plpgsql as
$$
begin
  perform add_use_totals(array(select row(project, surface, 0, times)::use_totals from now_rows));
  return null;
end
$$;
create function count_more_uses() returns trigger language plpgsql as
$$
begin
  perform add_use_totals(array(
    select row(project, surface, 0, n.times - p.times)::use_totals
    from now_rows n join past_rows p using (id, surface, project) where n.times <> p.times));
  return null;
end
$$;
create trigger item_uses_new after insert on item_uses
  referencing new table as now_rows for each statement execute function count_new_uses();
create trigger item_uses_more after update on item_uses
  referencing new table as now_rows old table as past_rows
  for each statement execute function count_more_uses();

-- Which of two items is asked for more, at any time: what is left of both halves together. Within a
-- hundredth of that, some three hours, they count as alike.
create function demand_rank(raw float8, as_of timestamptz) returns bigint language sql immutable parallel safe as
$$
  select floor(100 * (ln(raw) / ln(2::float8)
    + extract(epoch from as_of - timestamptz '2000-01-01 00:00:00+00')::float8 / 1209600))::bigint
$$;
create index item_stats_shown on item_stats (inject_count desc, id) where kind = 'memory' and inject_count > 0;
create index item_stats_wanted on item_stats (demand_rank(read_raw + recall_raw + prompt_raw, as_of) desc, id)
  where kind = 'memory' and read_raw + recall_raw + prompt_raw > 0;

create function item_lock(nth integer) returns bigint language sql immutable parallel safe as
$$ select hashtextextended('told items ' || nth, 0) $$;

-- As before, and by project and surface; what is asked behind a fence counts nothing for what lies outside it.
create or replace function credit_items(items event_items[]) returns void language plpgsql as
$$
begin
  -- Whoever tells of the same items meanwhile is waited for: a read and what was shown before it must see
  -- each other. A few keys stand for all items, for a batch may tell of thousands and locks are few.
  perform pg_advisory_xact_lock(item_lock(nth))
  from (
    select distinct hashtext(item_id) & 63 as nth from unnest(items)
    where class in ('read', 'recall', 'prompt', 'shown') order by nth offset 0
  ) sorted;

  insert into demand_starts (project, first_at)
  select e.project, min(i.ts)
  from unnest(items) i join events_acts e on e.id = i.event_id
  where demand_weight(i.class) > 0 and e.project is not null
  group by e.project order by e.project
  on conflict (project) do update set first_at = excluded.first_at
  where demand_starts.first_at > excluded.first_at;

  with
    told as (
      select i.item_kind as kind, i.item_id as id, i.class, i.ts,
        case when demand_weight(i.class) > 0 then demand_session(e.session_id, e.payload) end as session,
        case when i.class = 'read' then 'read'
          else coalesce(e.payload ->> 'hook', e.payload ->> 'source', '') end as surface,
        -- A read stands in the log with the item's project.
        coalesce(case when i.class = 'read' then s.project end, e.project, '') as project,
        -- Outside a fence nothing may tell what is asked within, so there it is demand for what lies there alone.
        f.number is null or exists (
          select from passages p where p.kind = i.item_kind and p.id = i.item_id and p.project = f.number
        ) as heard
      from unnest(items) i
        left join events_acts e on e.id = i.event_id
        left join sessions s on s.id = e.session_id
        left join projects f on f.slug = coalesce(s.project, e.project) and f.isolation <> 'open'
      where i.item_kind <> '' and i.class in ('read', 'recall', 'prompt', 'shown')
    ),
    fresh as (
      insert into item_credits (item_id, class, session)
      select distinct id, class, session from told where session is not null order by id, class, session
      on conflict do nothing
      returning item_id, class, session
    ),
    credited as (
      select t.kind, t.id, t.class, min(t.ts) as ts,
        (array_agg(t.surface order by t.ts, t.surface))[1] as surface,
        (array_agg(t.project order by t.ts, t.surface))[1] as project,
        bool_and(t.heard) as heard
      from told t join fresh f on f.item_id = t.id and f.class = t.class and f.session = t.session
      group by t.kind, t.id, t.class, t.session
      union all
      select kind, id, class, ts, surface, project, heard from told
      where session is null and demand_weight(class) > 0
    ),
    seen as (
      select kind, id, max(ts) as as_of,
        count(*) filter (where class <> 'read') as injected, max(ts) filter (where class <> 'read') as injected_at,
        count(*) filter (where class = 'read') as read, max(ts) filter (where class = 'read') as read_at
      from told group by kind, id
    ),
    sums as (
      select s.kind, s.id,
        coalesce(sum(value) filter (where c.class = 'read'), 0) as read,
        coalesce(sum(value) filter (where c.class = 'recall'), 0) as recall,
        coalesce(sum(value) filter (where c.class = 'prompt'), 0) as prompt
      from seen s left join credited c on c.kind = s.kind and c.id = s.id and c.heard,
        lateral (select demand_weight(c.class) * demand_left(s.as_of - c.ts) as value) v
      group by s.kind, s.id
    ),
    used as (
      select project, kind, id, surface, count(*) as times, max(ts) as at
      from told where surface <> 'recall-explain'
      group by project, kind, id, surface
    ),
    -- The last time before the pull that a briefing showed the item decides. Batches may come late: what
    -- was shown may already have been pulled.
    known as (
      select project, kind, id, surface, last_at as ts, surface in ('read', 'recall') as pull
      from item_uses
      where id in (select id from told) and surface in ('read', 'recall', 'session-start', 'subagent-start')
    ),
    fits as (
      select project, kind, id, surface, ts, class in ('read', 'recall') as pull, true as new
      from told where class in ('read', 'recall') or surface in ('session-start', 'subagent-start')
      union all
      select project, kind, id, surface, ts, pull, false from known
    ),
    pulled as (
      select b.project, b.kind, b.id, b.surface, max(p.ts) as at
      from fits b join fits p on p.id = b.id and p.project = b.project
      -- What is written in batches bears a time that is late by as long as its batch waited.
      where not b.pull and p.pull and (b.new or p.new)
        and p.ts between b.ts - interval '2 seconds' and b.ts + interval '24 hours'
      group by b.project, b.kind, b.id, b.surface
    ),
    uses as (
      insert into item_uses as known (project, kind, id, surface, times, last_at, pulled, raw, as_of)
      select project, kind, id, surface, coalesce(u.times, 0), coalesce(u.at, 'epoch'), p.id is not null,
        coalesce((
          select sum(demand_weight(c.class) * demand_left(u.at - c.ts)) from credited c
          where (c.project, c.kind, c.id, c.surface) = (u.project, u.kind, u.id, u.surface)
        ), 0),
        coalesce(u.at, p.at)
      from used u full join pulled p using (project, kind, id, surface)
      order by id, surface, project
      on conflict (id, surface, project) do update set
        times = known.times + excluded.times,
        last_at = greatest(known.last_at, excluded.last_at),
        pulled = known.pulled or excluded.pulled,
        raw = known.raw * demand_left(excluded.as_of - known.as_of)
          + excluded.raw * demand_left(known.as_of - excluded.as_of),
        as_of = greatest(known.as_of, excluded.as_of)
    )
  insert into item_stats as known (kind, id, inject_count, read_count, last_injected_at, last_read_at,
    read_raw, recall_raw, prompt_raw, as_of)
  select kind, id, s.injected, s.read, s.injected_at, s.read_at, v.read, v.recall, v.prompt, s.as_of
  from seen s join sums v using (kind, id)
  order by kind, id
  on conflict (kind, id) do update set
    inject_count = known.inject_count + excluded.inject_count,
    read_count = known.read_count + excluded.read_count,
    last_injected_at = greatest(known.last_injected_at, excluded.last_injected_at),
    last_read_at = greatest(known.last_read_at, excluded.last_read_at),
    read_raw = known.read_raw * demand_left(excluded.as_of - known.as_of)
      + excluded.read_raw * demand_left(known.as_of - excluded.as_of),
    recall_raw = known.recall_raw * demand_left(excluded.as_of - known.as_of)
      + excluded.recall_raw * demand_left(known.as_of - excluded.as_of),
    prompt_raw = known.prompt_raw * demand_left(excluded.as_of - known.as_of)
      + excluded.prompt_raw * demand_left(known.as_of - excluded.as_of),
    as_of = greatest(known.as_of, excluded.as_of);
end
$$;

create or replace function rebuild_demand() returns void language plpgsql as
$$
declare
  batch event_items[];
begin
  perform pg_advisory_xact_lock(item_lock(nth)) from generate_series(0, 63) as nth;
  lock table item_stats, item_credits, demand_starts, item_uses, use_totals in share row exclusive mode;
  delete from item_stats;
  delete from item_credits;
  delete from demand_starts;
  delete from item_uses;
  delete from use_totals;
  for batch in
    select array_agg(one order by ts, event_id, item_id)
    from (
      select i as one, ts, event_id, item_id,
        (row_number() over (order by ts, event_id, item_id) - 1) / 2000 as nth
      from event_items i
    ) numbered
    group by nth order by nth
  loop
    perform credit_items(batch);
  end loop;
end
$$;
select rebuild_demand();

-- Whoever had trials before there was a switch goes on seeing them.
select seed_feature('research') where exists (select from trials);
