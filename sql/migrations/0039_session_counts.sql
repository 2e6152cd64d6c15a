-- What each session has done, counted as it is recorded: so a list of sessions does not read the log, and what
-- retention drops of it still counts. Several rows of a session are summed, so that transactions seldom wait for
-- each other.
create table session_counts (
  session_id text collate "C" not null,
  slot smallint not null,                     -- tells the rows apart and means nothing else
  calls integer not null,
  failed integer not null,                    -- of the calls
  prompts integer not null,                   -- with which nothing was told
  misses integer not null,
  mishaps integer not null,
  written integer not null,                   -- times that it wrote a memory, a note or a trial
  primary key (session_id, slot)
) with (fillfactor = 70);

-- What it was shown, the first time, and what it read, the last time.
create table session_items (
  session_id text collate "C" not null,
  item_id text collate "C" not null,
  shown_at timestamptz(3),
  read_at timestamptz(3),
  primary key (session_id, item_id)
) with (fillfactor = 80);

create function tell_sessions() returns trigger language plpgsql as
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
  from added
  where session_id is not null
    and kind in ('tool.call', 'hook.prompt', 'recall.miss', 'agent.mishap', 'memory.written', 'note.written',
      'trial.recorded')
  group by session_id order by session_id
  on conflict (session_id, slot) do update set
    calls = c.calls + excluded.calls, failed = c.failed + excluded.failed, prompts = c.prompts + excluded.prompts,
    misses = c.misses + excluded.misses, mishaps = c.mishaps + excluded.mishaps,
    written = c.written + excluded.written;

  if exists (select from added where kind in ('retrieval.injected', 'memory.read', 'note.read')) then
    insert into session_items as known (session_id, item_id, shown_at, read_at)
    select session_id, item, min(shown_at), max(read_at)
    from (
      select session_id, item, ts as shown_at, null::timestamptz as read_at
      from added, jsonb_array_elements_text(
        case jsonb_typeof(payload -> 'item_ids') when 'array' then payload -> 'item_ids' else '[]' end) item
      where kind = 'retrieval.injected' and session_id is not null and item is not null
      union all
      select session_id, item_id, null, ts from added
      where kind in ('memory.read', 'note.read') and session_id is not null and item_id is not null
    ) items
    group by session_id, item order by session_id, item
    on conflict (session_id, item_id) do update set
      shown_at = least(known.shown_at, excluded.shown_at), read_at = greatest(known.read_at, excluded.read_at)
    where excluded.read_at is not null or known.shown_at is null;
  end if;
  return null;
end
$$;
-- Behind the trigger that holds the items which are told (0013): who tells of the same ones waits there.
create trigger events_tell_sessions after insert on events
  referencing new table as added for each statement execute function tell_sessions();

insert into session_counts as c (session_id, slot, calls, failed, prompts, misses, mishaps, written)
select session_id, 0,
  count(*) filter (where kind = 'tool.call'),
  count(*) filter (where kind = 'tool.call' and payload @> '{"is_error": true}'),
  count(*) filter (where kind = 'hook.prompt'),
  count(*) filter (where kind = 'recall.miss'),
  count(*) filter (where kind = 'agent.mishap'),
  count(*) filter (where kind in ('memory.written', 'note.written', 'trial.recorded'))
from events
where session_id is not null
  and kind in ('tool.call', 'hook.prompt', 'recall.miss', 'agent.mishap', 'memory.written', 'note.written',
      'trial.recorded')
group by session_id order by session_id;

insert into session_items as known (session_id, item_id, shown_at, read_at)
select session_id, item, min(shown_at), max(read_at)
from (
  select session_id, item, ts as shown_at, null::timestamptz as read_at
  from events, jsonb_array_elements_text(
    case jsonb_typeof(payload -> 'item_ids') when 'array' then payload -> 'item_ids' else '[]' end) item
  where kind = 'retrieval.injected' and session_id is not null and item is not null
  union all
  select session_id, item_id, null, ts from events
  where kind in ('memory.read', 'note.read') and session_id is not null and item_id is not null
) items
group by session_id, item order by session_id, item;
