-- How much happens at the moment, told with each event by whoever records it: the page of agents at work is
-- open all day and asks anew with every event, so it must not count the log.

-- Events of the last hours by five minutes and session; '' is all that belongs to no session. Each backend
-- has rows of its own, which are summed: none waits for another, and two never deadlock.
create table pulse (
  since timestamptz(0) not null,              -- when the five minutes began
  session_id text collate "C" not null,
  backend integer not null,                   -- tells the rows apart and means nothing else
  events integer not null,
  primary key (since, session_id, backend)
) with (fillfactor = 70);

-- The beginning of the five minutes of a time.
create function pulse_of(at timestamptz) returns timestamptz language sql immutable parallel safe as
$$ select date_bin('5 minutes', at, timestamptz '2000-01-01 00:00:00+00') $$;

-- An event of long ago, as an import writes it, is not counted: nobody asks for its time any more.
create function count_pulse() returns trigger language plpgsql as
$$
begin
  insert into pulse as p (since, session_id, backend, events)
  select pulse_of(ts), coalesce(session_id, ''), pg_backend_pid(), count(*)
  from added where ts > loam_now() - interval '2 hours'
  group by 1, 2 order by 1, 2
  on conflict (since, session_id, backend) do update set events = p.events + excluded.events;
  return null;
end
$$;
create trigger events_pulse after insert on events
  referencing new table as added for each statement execute function count_pulse();

insert into pulse (since, session_id, backend, events)
select pulse_of(ts), coalesce(session_id, ''), 0, count(*)
from events where ts > loam_now() - interval '2 hours'
group by 1, 2;

-- What agents produced, apart from all that they read and asked: the last of it is found at once, however
-- long a session has been reading since.
create index events_acts_output on events_acts (session_id, ts desc, id desc)
  where kind in ('session.started', 'memory.written', 'memory.superseded', 'note.written', 'task.transition',
    'trial.recorded', 'plan.captured', 'plan.presented', 'plan.approved', 'subagent.captured')
    and not payload ? 'renewed';

-- What may be begun, of all projects, the oldest first.
create index tasks_ready on tasks (created_at, id) where status = 'open' and not blocked;
