-- What an event says was shown is read in one go, and as a part of the statement that asks: its payload was taken apart
-- five times, by a statement of its own for each event.

drop function showing_of(events);

-- As before, of one event.
create function showing_of(e events) returns setof showing language sql stable as
$$
  select e.ts, demand_session(e.session_id, e.payload),
    case when p.emitted_estimated_tokens > 0 then p.emitted_estimated_tokens
      else ceil(coalesce(octet_length(e.payload ->> 'content'), 0) / 4.0)::bigint end,
    array(
      select distinct item
      from jsonb_array_elements_text(
        case jsonb_typeof(p.item_ids) when 'array' then p.item_ids else '[]' end
          || case when coalesce(e.item_id, '') <> '' then jsonb_build_array(e.item_id) else '[]' end) item
      where item <> ''
    ),
    coalesce(p.hook, p.source, ''), nullif(e.session_id, '')
  from jsonb_to_record(case jsonb_typeof(e.payload) when 'object' then e.payload else '{}' end)
    as p (emitted_estimated_tokens bigint, item_ids jsonb, hook text, source text)
$$;

-- Both as before.
create or replace function tell_shown(added events[]) returns void language plpgsql
as
$$
declare
  told showing[];
begin
  for told in
    select array_agg(s) from unnest(added) a cross join lateral showing_of(a) s where a.kind = 'retrieval.injected'
    group by date_trunc('day', a.ts) order by date_trunc('day', a.ts)
  loop
    perform count_showings(told);
  end loop;
  insert into memory_reach as r (id, number, project, kind, active, updated_at, wanted_at)
  select m.id, m.number, m.project, m.kind, m.active, m.updated_at, a.at
  from (select item_id, max(ts) as at from unnest(added) where kind = 'memory.read' group by item_id) a
    join memory_reach m on m.id = a.item_id
  order by m.id
  on conflict (id) do update set wanted_at = greatest(r.wanted_at, excluded.wanted_at);
  insert into miss_totals as t (unit, since, prompts, told, searches)
  select unit, date_trunc(unit, ts, 'UTC'), count(*) filter (where is_missed(kind, payload)),
    count(*) filter (where kind = 'hook.prompt' and not is_missed(kind, payload)), count(*) filter (where kind = 'recall.miss')
  from unnest(added), unnest(array['hour', 'day']) unit
  where kind in ('hook.prompt', 'recall.miss')
  group by 1, 2 order by 1, 2
  on conflict (unit, since) do update set
    prompts = t.prompts + excluded.prompts, told = t.told + excluded.told, searches = t.searches + excluded.searches;
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

create or replace function know_memories(added events[]) returns void language sql
as
$$
insert into memory_reach (id, project, kind, active, created_at, updated_at, ended_at)
select m.id, m.project, m.kind, m.invalid_at is null, m.created_at, m.updated_at, m.invalid_at
from (
  select distinct item
  from unnest(added) a cross join lateral showing_of(a) s cross join unnest(s.items) item
  where a.kind in ('retrieval.injected', 'memory.read')
) named join memories m on m.id = named.item
where not exists (select from memory_reach r where r.id = m.id)
order by m.id
$$;
