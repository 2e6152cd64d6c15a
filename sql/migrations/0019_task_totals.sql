-- The graph is walked downwards as well as upwards, by its index alone.
create index task_deps_downwards on task_deps (depends_on, task_id);
drop index task_deps_blocker;

-- How many tasks there are of each kind, for every project and plan. In several rows that are summed, so
-- that those who change tasks at the same time do not wait for each other.
create table task_totals (
  project text collate "C" not null,
  plan text collate "C" not null,
  slot smallint not null,
  ready integer not null,                       -- open, and not blocked
  blocked integer not null,
  in_progress integer not null,
  done integer not null,
  dropped integer not null,
  primary key (project, plan, slot)
);
insert into task_totals
select project, plan, 0, count(*) filter (where status = 'open' and not blocked),
  count(*) filter (where status = 'open' and blocked), count(*) filter (where status = 'in_progress'),
  count(*) filter (where status = 'done'), count(*) filter (where status = 'dropped')
from tasks group by project, plan;

-- One task as a row of totals, n times.
create function task_kind(project text, plan text, status text, waits_for integer, n integer)
returns task_totals language sql immutable as
$$
  select row(project, plan, 0, case when status = 'open' and waits_for = 0 then n else 0 end,
    case when status = 'open' and waits_for > 0 then n else 0 end,
    case when status = 'in_progress' then n else 0 end, case when status = 'done' then n else 0 end,
    case when status = 'dropped' then n else 0 end)::task_totals
$$;

-- Adds up what a statement changed: `now_rows` as it leaves them, `past_rows` as it found them. A change
-- that moves nothing from one kind to another, as a renewed lease, writes nothing here.
-- In plpgsql, which plans it once for a connection and not once for a change.
create function add_task_totals(moved task_totals[]) returns void language plpgsql as
$$
begin
  insert into task_totals as t (project, plan, slot, ready, blocked, in_progress, done, dropped)
  select m.project, m.plan, pg_backend_pid() % 64, sum(m.ready), sum(m.blocked), sum(m.in_progress),
    sum(m.done), sum(m.dropped)
  from unnest(moved) m
  group by m.project, m.plan
  having sum(m.ready) <> 0 or sum(m.blocked) <> 0 or sum(m.in_progress) <> 0 or sum(m.done) <> 0
    or sum(m.dropped) <> 0
  order by m.project, m.plan
  on conflict (project, plan, slot) do update set
    ready = t.ready + excluded.ready, blocked = t.blocked + excluded.blocked,
    in_progress = t.in_progress + excluded.in_progress, done = t.done + excluded.done,
    dropped = t.dropped + excluded.dropped;
end
$$;

create function count_new_tasks() returns trigger language plpgsql as
$$
begin
  perform add_task_totals(array(select task_kind(project, plan, status, waits_for, 1) from now_rows));
  return null;
end
$$;
create function count_changed_tasks() returns trigger language plpgsql as
$$
begin
  perform add_task_totals(array(
    select task_kind(project, plan, status, waits_for, 1) from now_rows
    union all
    select task_kind(project, plan, status, waits_for, -1) from past_rows));
  return null;
end
$$;
create function count_gone_tasks() returns trigger language plpgsql as
$$
begin
  perform add_task_totals(array(select task_kind(project, plan, status, waits_for, -1) from past_rows));
  return null;
end
$$;
create trigger tasks_counted_new after insert on tasks
  referencing new table as now_rows for each statement execute function count_new_tasks();
create trigger tasks_counted_changed after update on tasks
  referencing new table as now_rows old table as past_rows
  for each statement execute function count_changed_tasks();
create trigger tasks_counted_gone after delete on tasks
  referencing old table as past_rows for each statement execute function count_gone_tasks();

-- Gives a task to a session, if the task still is as it was seen and the session is active; with an event's
-- id the claim is recorded. One statement, planned once for a connection. Whoever wants to end the session
-- waits, and nobody waits for long.
create function claim_task(
  task text, seen_project text, seen_status text, seen_token text, session text, token text, seconds integer,
  wanted text[], event text, told jsonb
) returns setof tasks language plpgsql set lock_timeout = '3s' as
$$
declare
  taken tasks;
begin
  perform from sessions s where s.id = session and s.status = 'active' for share;
  if not found then
    return;
  end if;
  update tasks t set status = 'in_progress', claimed_by = session, claim_token = token, paths = wanted,
    lease_expires_at = loam_now() + seconds * interval '1 second',
    updated_at = greatest(loam_now(), t.updated_at + interval '1 millisecond')
  where t.id = task and t.project = seen_project and t.status = seen_status and t.claim_token = seen_token
    and (t.status = 'open' and t.waits_for = 0 or t.status = 'in_progress' and (
      t.claimed_by in ('', session) or t.lease_expires_at is null or t.lease_expires_at <= loam_now()))
  returning t.* into taken;
  if not found then
    return;
  end if;
  if event is not null then
    insert into events (id, ts, kind, transport, session_id, project, item_id, payload)
    values (event, loam_now(), 'task.transition', false, session, taken.project, task, told || jsonb_build_object(
      'lease_expires_at', to_char(taken.lease_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  end if;
  return next taken;
end
$$;
