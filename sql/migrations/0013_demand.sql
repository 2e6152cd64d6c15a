-- Demand: which items were asked for. Counted from the log as it is written, whoever writes to it.
create table item_stats (
  kind text collate "C" not null,
  id text collate "C" not null,
  inject_count integer not null default 0,    -- times put before an agent, asked for or not
  read_count integer not null default 0,
  last_injected_at timestamptz(3),
  last_read_at timestamptz(3),
  read_raw float8 not null default 0,         -- weights that halve in 14 days, summed as of as_of
  recall_raw float8 not null default 0,
  prompt_raw float8 not null default 0,
  as_of timestamptz(3) not null,
  primary key (kind, id)
);

-- What has been credited: an item once in a session for each way of asking.
create table item_credits (
  item_id text collate "C" not null,
  class text collate "C" not null,
  session text collate "C" not null,
  primary key (item_id, class, session)
);

-- When a project's agents first asked for anything. '' is the global scope.
create table demand_starts (
  project text collate "C" primary key,
  first_at timestamptz(3) not null
);

-- What demand is counted over lately, by the time of the event.
create index event_items_acts_demand on event_items_acts (ts) where class in ('read', 'recall', 'prompt');

-- How much one asking counts. Being shown without having asked is no demand.
create function demand_weight(class text) returns float8 language sql immutable parallel safe as
$$ select case class when 'read' then 3.0 when 'recall' then 1.5 when 'prompt' then 1.0 else 0 end::float8 $$;

-- What is left of a weight after some time: half after 14 days. Time never adds to it.
create function demand_left(since interval) returns float8 language sql immutable parallel safe as
$$ select power(2, -greatest(extract(epoch from since), 0)::float8 / 1209600) $$;

-- How much an item is asked for, from 0 to below 1. Of an item nobody asked for, and of none: 0.
create function utility(stats item_stats, at timestamptz) returns float8 language sql stable parallel safe as
$$
  select coalesce(raw / (raw + 4), 0)
  from (select (stats.read_raw + stats.recall_raw + stats.prompt_raw) * demand_left(at - stats.as_of) as raw) now
$$;
create function utility(stats item_stats) returns float8 language sql volatile parallel safe as
$$ select utility(stats, loam_now()) $$;

-- Whose asking it was, as far as it counts once: the session, else the client's own name for it.
create function demand_session(session_id text, payload jsonb) returns text language sql immutable parallel safe as
$$
  select coalesce(nullif(session_id, ''),
    case when coalesce(payload ->> 'claude_session_id', '') <> ''
      then concat(payload ->> 'external_client', ' ', payload ->> 'claude_session_id') end)
$$;

-- Credits rows of event_items, oldest first. Sorted, so that two of these never deadlock.
create function credit_items(items event_items[]) returns void language plpgsql as
$$
begin
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
        case when demand_weight(i.class) > 0 then demand_session(e.session_id, e.payload) end as session
      from unnest(items) i left join events_acts e on e.id = i.event_id
      where i.item_kind <> '' and i.class in ('read', 'recall', 'prompt', 'shown')
    ),
    fresh as (
      insert into item_credits (item_id, class, session)
      select distinct id, class, session from told where session is not null order by id, class, session
      on conflict do nothing
      returning item_id, class, session
    ),
    credited as (
      select t.kind, t.id, t.class, min(t.ts) as ts
      from told t join fresh f on f.item_id = t.id and f.class = t.class and f.session = t.session
      group by t.kind, t.id, t.class, t.session
      union all
      select kind, id, class, ts from told where session is null and demand_weight(class) > 0
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
      from seen s left join credited c on c.kind = s.kind and c.id = s.id,
        lateral (select demand_weight(c.class) * demand_left(s.as_of - c.ts) as value) v
      group by s.kind, s.id
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

-- The log is the one way in: whoever records a read, an injection or a mishap has told the items of it.
-- Of an injection the event says only ids; the kind is that of the item as it stands in the index.
create function tell_items() returns trigger language plpgsql as
$$
declare
  told event_items[];
begin
  if not exists (select from added where kind in ('memory.read', 'note.read', 'retrieval.injected', 'agent.mishap')) then
    return null;
  end if;
  with
    named as (
      select e.id as event_id, e.ts, e.transport, left(e.kind, -5) as item_kind, e.item_id, 'read' as class
      from added e
      where e.kind in ('memory.read', 'note.read') and e.item_id is not null
      union
      select e.id, e.ts, e.transport, coalesce(found.kind, ''), item.id,
        case
          when e.kind = 'agent.mishap' then 'mishap'
          when e.payload ->> 'source' = 'recall' then 'recall'
          when e.payload ->> 'hook' = 'user-prompt-submit' then 'prompt'
          else 'shown'
        end
      from added e,
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
  return null;
end
$$;
create trigger events_tell_items after insert on events
  referencing new table as added for each statement execute function tell_items();

-- Makes everything above anew from event_items, as if each event were recorded again.
create function rebuild_demand() returns void language plpgsql as
$$
declare
  batch event_items[];
begin
  lock table item_stats, item_credits, demand_starts in share row exclusive mode;
  delete from item_stats;
  delete from item_credits;
  delete from demand_starts;
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

-- Searches of an earlier time look at what is inactive today, too.
create index passages_words_inactive on passages using gin (project, words) where not active;

-- Whether an item was there at that time: a memory while it was believed, anything else from its making on.
create function stood(kind text, id text, at timestamptz) returns boolean language plpgsql stable parallel safe as
$$
begin
  return case stood.kind
    when 'memory' then exists (select from memories m
      where m.id = stood.id and m.valid_from <= at and (m.invalid_at is null or m.invalid_at > at))
    when 'note' then exists (select from notes n where n.id = stood.id and n.created_at <= at)
    when 'task' then exists (select from tasks t where t.id = stood.id and t.created_at <= at)
    when 'session' then exists (select from sessions s where s.id = stood.id and s.created_at <= at)
    else false end;
end
$$;
