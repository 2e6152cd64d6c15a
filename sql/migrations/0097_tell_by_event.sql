-- One recall shows ten items: what its event says of who asked, and from where, is looked up once, no longer for each.

-- Other indexes of the same columns find what this one found: most of what is noted of an item is that it was shown.
drop index event_items_shown;

-- As before. What asking for an item counts is summed for all items at once: for each by itself it was sought among all
-- that were told.
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
  from (select event_id, min(ts) as ts from unnest(items) where demand_weight(class) > 0 group by event_id) i
    join events_acts e on e.id = i.event_id
  where e.project is not null
  group by e.project order by e.project
  on conflict (project) do update set first_at = excluded.first_at
  where demand_starts.first_at > excluded.first_at;

  with
    asked as materialized (
      select e.id, demand_session(e.session_id, e.payload) as session, s.project as home, e.project,
        coalesce(e.payload ->> 'hook', e.payload ->> 'source', '') as surface, f.number,
        fence_allows('read', '', 'open', f.slug, f.isolation) as heard
      from (select distinct event_id from unnest(items)) i
        join events_acts e on e.id = i.event_id
        left join sessions s on s.id = e.session_id
        left join projects f on f.slug = coalesce(s.project, e.project)
    ),
    told as (
      select i.item_kind as kind, i.item_id as id, i.class, i.ts,
        case when demand_weight(i.class) > 0 then a.session end as session,
        case when i.class = 'read' then 'read' else coalesce(a.surface, '') end as surface,
        -- A read stands in the log with the item's project.
        coalesce(case when i.class = 'read' then a.home end, a.project, '') as project,
        -- What is asked behind a fence is no secret only to those behind it: it is demand for their items alone.
        case when a.id is null then fence_allows('read', '', 'open', null, null) else a.heard end or exists (
          select from passages p where p.kind = i.item_kind and p.id = i.item_id and p.project = a.number
        ) as heard
      from unnest(items) i left join asked a on a.id = i.event_id
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
      select b.project, b.kind, b.id, b.surface, max(p.ts) as at, max(b.ts) as shown_at
      from fits b join fits p on p.id = b.id and p.project = b.project
      -- What is written in batches bears a time that is late by as long as its batch waited.
      where not b.pull and p.pull and (b.new or p.new)
        and p.ts between b.ts - interval '2 seconds' and b.ts + interval '24 hours'
      group by b.project, b.kind, b.id, b.surface
    ),
    asking as (
      select project, kind, id, surface, sum(demand_weight(c.class) * demand_left(u.at - c.ts)) as raw
      from used u join credited c using (project, kind, id, surface)
      group by project, kind, id, surface
    ),
    uses as (
      insert into item_uses as known (project, kind, id, surface, times, last_at, pulled, pulled_at, raw, as_of)
      select project, kind, id, surface, coalesce(u.times, 0), coalesce(u.at, 'epoch'), p.id is not null, p.shown_at,
        coalesce(a.raw, 0), coalesce(u.at, p.at)
      from used u full join pulled p using (project, kind, id, surface)
        left join asking a using (project, kind, id, surface)
      order by id, surface, project
      on conflict (id, surface, project) do update set
        times = known.times + excluded.times,
        last_at = greatest(known.last_at, excluded.last_at),
        pulled = known.pulled or excluded.pulled,
        pulled_at = greatest(known.pulled_at, excluded.pulled_at),
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
