-- What nearly every call asks is planned once for each connection. As a text it was parsed and planned each time: on a server
-- that took a read of one memory and a look at the queue longer than all that they asked for. Everything is reached by an index,
-- also while a table is still small: the plan stays when it grows.

-- Which model wrote a document whose file names none: some clients tell theirs only when the turn is over, and then their
-- session knows it. Null when it does not, and when the document is not of one session alone.
-- The kinds stand here as they do in the index events_acts_written.
create function learned_model(of_id text) returns text
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as
$$
begin
  return (
    select s.first_model from sessions s where s.id = (
      select min(e.session_id) from events_acts e
      where e.item_id = of_id and e.kind in ('memory.written', 'note.written')
      having count(distinct e.session_id) = 1 and count(*) = count(e.session_id)));
end
$$;

-- The names of the sessions that wrote a document first and last, as far as the caller may know them, and with `nameless` the
-- model that is not named in its file.
create function document_writers(of_id text, nameless boolean, caller text, level text)
returns table (first text, last text, learned text)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as
$$
begin
  return query
  select
    (select s.name
      from (
        select e.session_id from events_acts e
        where e.item_id = of_id and e.kind in ('memory.written', 'note.written')
        order by e.ts, e.id limit 1
      ) w join sessions s on s.id = w.session_id
      where fence_allows('read', caller, level, s.project, (select p.isolation from projects p where p.slug = s.project))),
    (select s.name
      from (
        select e.session_id from events_acts e
        where e.item_id = of_id and e.kind in ('memory.written', 'note.written')
        order by e.ts desc, e.id desc limit 1
      ) w join sessions s on s.id = w.session_id
      where fence_allows('read', caller, level, s.project, (select p.isolation from projects p where p.slug = s.project))),
    case when nameless then learned_model(of_id) end;
end
$$;

-- These memories were shown, the nth to the agent of the nth session. One that was told it so already is left out: a row
-- that is locked, and not changed, would cost the transaction a write to the disk. Sessions of one client are one agent; one
-- without a client has no hooks that might tell it twice, and nothing is kept for it. Each row is looked up by its key: what a
-- plan joins it may read whole, and the ledger grows while the plan is kept.
create function tell_agents(to_sessions text[], of_items text[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as
$$
begin
  with
    shown as materialized (
      select distinct told_session(s.external_client, s.client_session_id, s.id) as session, m.id,
        told_version(m) as version
      from unnest(to_sessions, of_items) as a (session, id)
        join sessions s on s.id = a.session and s.client_session_id <> ''
        join memories m on m.id = a.id
    )
  insert into told (session, agent, item, version)
  select n.session, '', n.id, n.version
  from shown n
    left join lateral (
      select t.version from told t where t.session = n.session and t.agent = '' and t.item = n.id limit 1
    ) t on true
  where t.version is distinct from n.version
  order by n.session, n.id
  on conflict (session, agent, item) do update set (version, at) = (excluded.version, loam_now())
  where told.version <> excluded.version;
end
$$;

-- Some of what a task waits for and that is not finished, in the order of their ids.
create function unfinished_blockers(of_task text, most integer, caller text, level text)
returns table (id text, title text, status text, readable boolean) language sql stable as
$$
  select b.id, b.title, b.status,
    fence_allows('read', caller, level, b.project, (select p.isolation from projects p where p.slug = b.project))
  from task_deps d join tasks b on b.id = d.depends_on
  where d.task_id = of_task and b.status in ('open', 'in_progress')
  order by d.depends_on limit most
$$;

-- What of a project could be begun, what waits for something unfinished and for what, and what was begun and is carried by
-- nobody: it was never claimed, or its lease has run out. The oldest first, `most` of each; of a long text the beginning, and
-- of many blockers the first. Steps of one plan only; '' is no plan. Without a part there are only the totals.
create function task_queue(
  of_project text, of_plan text, most integer, characters integer, most_blockers integer, caller text, level text
) returns table (
  ready_total integer, blocked_total integer, lapsed_total integer, part text,
  id text, project text, title text, body text, cut boolean, status text, created_by text, plan text, claimed_by text,
  lease_expires_at timestamptz, paths text[], favorite boolean, depends_on_total integer, depends_on text[],
  waits_for integer, blockers jsonb
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as
$$
#variable_conflict use_column
begin
  return query
  with totals as (
    select coalesce(sum(ready), 0)::int as ready_total, coalesce(sum(blocked), 0)::int as blocked_total
    from task_totals where project = of_project and plan = of_plan
  ), fallen as (
    select *, count(*) over ()::int as fallen from tasks
    where project = of_project and plan = of_plan and status = 'in_progress'
      and (claimed_by = '' or lease_expires_at is null or lease_expires_at <= loam_now())
  )
  select totals.ready_total, totals.blocked_total, coalesce((select max(fallen) from fallen), 0), shown.part,
    t.id, t.project, t.title, left(t.body, characters), length(t.body) > characters,
    t.status, t.created_by, t.plan, t.claimed_by, t.lease_expires_at::timestamptz, t.paths, t.favorite,
    t.depends_on_total,
    case when t.depends_on_total = 0 then '{}' else array(
      select d.depends_on from task_deps d where d.task_id = t.id order by d.depends_on limit most_blockers
    ) end,
    t.waits_for,
    case when shown.part = 'blocked' then (
      select coalesce(jsonb_agg(b order by b.id), '[]') from unfinished_blockers(t.id, most_blockers, caller, level) b
    ) end
  from totals
  left join lateral (
    (select 'ready' as part, id, created_at from tasks
      where project = of_project and plan = of_plan and status = 'open' and not blocked
      order by created_at, id limit most)
    union all
    (select 'blocked', id, created_at from tasks
      where project = of_project and plan = of_plan and status = 'open' and blocked
      order by created_at, id limit most)
    union all
    (select 'lapsed', id, created_at from fallen order by created_at, id limit most)
  ) shown on true
  left join tasks t on t.id = shown.id
  order by shown.created_at, shown.id;
end
$$;

-- The document of an id, or of a name in the first of these projects: the one of a project before a global one, and one that has
-- ended last. A name that was cut in former times still leads to its document, as long as that was not cut under another one.
create function find_document(of_kind text, of_id text, of_name text, of_cut text, in_projects text[], caller text, level text)
returns table (
  id text, project text, path text, name text, content_hash text, active boolean, readable boolean, writable boolean
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as
$$
#variable_conflict use_column
begin
  if of_kind = 'memory' and of_id is not null then
    return query
    select m.id, m.project, m.path, m.name, m.content_hash, m.invalid_at is null,
      fence_allows('read', caller, level, m.project, p.isolation), fence_allows('write', caller, level, m.project, p.isolation)
    from memories m left join projects p on p.slug = m.project
    where m.id = of_id;
  elsif of_kind = 'memory' then
    return query
    select m.id, m.project, m.path, m.name, m.content_hash, m.invalid_at is null,
      fence_allows('read', caller, level, m.project, p.isolation), fence_allows('write', caller, level, m.project, p.isolation)
    from memories m left join projects p on p.slug = m.project
    where m.project = any (in_projects) and m.name in (of_name, of_cut) and (m.name = of_name or not m.uncut)
    order by m.invalid_at is null desc, m.project = '', m.name = of_name desc limit 1;
  elsif of_id is not null then
    return query
    select n.id, n.project, n.path, n.slug, n.content_hash, true,
      fence_allows('read', caller, level, n.project, p.isolation), fence_allows('write', caller, level, n.project, p.isolation)
    from notes n left join projects p on p.slug = n.project
    where n.id = of_id;
  else
    return query
    select n.id, n.project, n.path, n.slug, n.content_hash, true,
      fence_allows('read', caller, level, n.project, p.isolation), fence_allows('write', caller, level, n.project, p.isolation)
    from notes n left join projects p on p.slug = n.project
    where n.project = any (in_projects) and n.slug in (of_name, of_cut) and (n.slug = of_name or not n.uncut)
    order by n.project = '', n.slug = of_name desc limit 1;
  end if;
end
$$;
