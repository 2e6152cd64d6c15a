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
-- Makes them anew.
create function recount_tasks() returns void language sql as
$$
  delete from task_totals;
  insert into task_totals
  select project, plan, 0, count(*) filter (where status = 'open' and not blocked),
    count(*) filter (where status = 'open' and blocked), count(*) filter (where status = 'in_progress'),
    count(*) filter (where status = 'done'), count(*) filter (where status = 'dropped')
  from tasks group by project, plan;
$$;
select recount_tasks();

-- Adds up what a statement changed: the rows as it leaves them, less the rows as it found them. A change that
-- moves nothing from one kind to another, as a renewed lease, writes nothing here. In plpgsql, which plans it
-- once for a connection; the three triggers differ only in the rows that there are.
do $do$
declare
  now_rows text := 'select project, plan, status, waits_for, 1 as n from now_rows';
  past_rows text := 'select project, plan, status, waits_for, -1 as n from past_rows';
  one record;
begin
  for one in
    select * from (values
      ('new', 'insert', 'new table as now_rows', now_rows),
      ('changed', 'update', 'new table as now_rows old table as past_rows', now_rows || ' union all ' || past_rows),
      ('gone', 'delete', 'old table as past_rows', past_rows)) v (name, act, tables, moved)
  loop
    execute format($function$
      create function count_%1$s_tasks() returns trigger language plpgsql as
      $$
      begin
        insert into task_totals as t (project, plan, slot, ready, blocked, in_progress, done, dropped)
        select project, plan, pg_backend_pid() %% 64, ready, blocked, in_progress, done, dropped
        from (
          select project, plan,
            sum(case when status = 'open' and waits_for = 0 then n else 0 end) as ready,
            sum(case when status = 'open' and waits_for > 0 then n else 0 end) as blocked,
            sum(case when status = 'in_progress' then n else 0 end) as in_progress,
            sum(case when status = 'done' then n else 0 end) as done,
            sum(case when status = 'dropped' then n else 0 end) as dropped
          from (%2$s) moved group by project, plan
        ) sums
        where (ready, blocked, in_progress, done, dropped) <> (0, 0, 0, 0, 0)
        order by project, plan
        on conflict (project, plan, slot) do update set
          ready = t.ready + excluded.ready, blocked = t.blocked + excluded.blocked,
          in_progress = t.in_progress + excluded.in_progress, done = t.done + excluded.done,
          dropped = t.dropped + excluded.dropped;
        return null;
      end
      $$;
      create trigger tasks_counted_%1$s after %3$s on tasks referencing %4$s
        for each statement execute function count_%1$s_tasks();
    $function$, one.name, one.moved, one.act, one.tables);
  end loop;
end
$do$;

-- Gives a task to a session, if the session is active and the task can be begun, or was begun and nobody
-- else's lease runs; no row: it was not given. With an event's id the claim is recorded at once, and then
-- only a task of no plan is given: from a step something follows, so that `told` has still to be recorded.
-- Planned once for a connection. Whoever wants to end the session waits, and nobody waits for long.
create function claim_task(
  task text, caller text, isolation text, session text, presented text, token text, seconds integer,
  wanted text[], event text
) returns table (
  given tasks, depends_on text[], readable boolean, renewed boolean, prior_holder text, told jsonb
) language plpgsql set lock_timeout = '3s' as
$$
#variable_conflict use_column
declare
  seen tasks;
  runs boolean;
begin
  perform from sessions s where s.id = session and s.status = 'active' for share;
  if not found then
    return;
  end if;
  select t.* into seen from tasks t
  where t.id = task and (t.project = caller or isolation = 'open' and not exists (
    select from projects p where p.slug = t.project and p.isolation = 'sealed'))
  for no key update;
  runs := seen.status = 'in_progress' and seen.claimed_by <> '' and coalesce(seen.lease_expires_at > loam_now(), false);
  renewed := runs and seen.claimed_by = session;
  if not found or presented <> seen.claim_token or event is not null and seen.plan <> ''
    or not (seen.status = 'open' and seen.waits_for = 0 or seen.status = 'in_progress' and (renewed or not runs))
  then
    return;
  end if;
  prior_holder := case when seen.status = 'in_progress' and not runs and seen.claimed_by <> session
    then seen.claimed_by else '' end;

  update tasks t set status = 'in_progress', claimed_by = session,
    claim_token = case when renewed then seen.claim_token else token end,
    paths = coalesce(wanted, case when renewed then seen.paths else '{}' end),
    lease_expires_at = loam_now() + seconds * interval '1 second',
    updated_at = greatest(loam_now(), t.updated_at + interval '1 millisecond')
  where t.id = task
  returning t.* into given;

  told := jsonb_strip_nulls(jsonb_build_object(
    'from', seen.status, 'to', 'in_progress', 'claimed_by', session,
    'renewed', case when renewed then true end,
    'reclaimed', case when prior_holder <> '' then true end,
    'prior_holder', nullif(prior_holder, ''), 'plan_slug', nullif(seen.plan, ''),
    'lease_expires_at', to_char(given.lease_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  if event is not null then
    insert into events (id, ts, kind, transport, session_id, project, item_id, payload)
    values (event, loam_now(), 'task.transition', false, session, given.project, task, told);
  end if;
  depends_on := array(select d.depends_on from task_deps d where d.task_id = task order by d.depends_on);
  readable := given.project = caller or isolation <> 'sealed' and not exists (
    select from projects p where p.slug = given.project and p.isolation <> 'open');
  return next;
end
$$;
