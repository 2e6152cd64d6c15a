-- What a session is called: by what it does.
alter table sessions
  add claimed_task text collate "C" not null default '',  -- the task that it claimed last
  add first_prompt text not null default '';              -- the first line of it, cut; secrets are masked

-- The first line of a text that says anything, without the marks of markdown; at most 120 characters.
create function first_line(said text) returns text language sql immutable parallel safe as
$$
  select case when length(line) > 120 then rtrim(left(line, 119)) || '…' else line end
  from (
    select btrim(regexp_replace(
      regexp_replace(
        coalesce(substring(left(said, 4000) from '[^\r\n]*[^\s#>*_=~`|+.-][^\r\n]*'), ''),
        '^\s*(?:(?:[#>*+-]+|\[[ xX]\])\s+)*|\*\*|__|`', '', 'g'),
      '\s+', ' ', 'g')) as line
  ) folded
$$;

-- What it is called while it has claimed nothing: by its first prompt, else by what it found, else by where it
-- works, else by its handle. Kept, so that a list is sorted and searched by it.
create function session_called(prompt text, findings text, cwd text, handle text) returns text
language plpgsql immutable parallel safe as
$$
begin
  return coalesce(
    nullif(first_line(prompt), ''),
    nullif(first_line(case when btrim(findings) = '(auto) session ended, no summary harvested' then ''
      else regexp_replace(findings, '^\(auto-harvested\) ', '') end), ''),
    nullif(regexp_replace(rtrim(cwd, '/\'), '^.*[/\\]', ''), ''),
    handle);
end
$$;

-- What was claimed and asked before this was kept.
update sessions s set claimed_task = e.item_id
from (
  select distinct on (payload ->> 'claimed_by') payload ->> 'claimed_by' as session_id, item_id
  from events where kind = 'task.transition' and payload ? 'claimed_by' and item_id is not null
  order by payload ->> 'claimed_by', ts desc, id desc
) e
where e.session_id = s.id;
update sessions s set first_prompt = left(substring(e.prompt from '[^\r\n]*\S[^\r\n]*'), 200)
from (
  select distinct on (session_id) session_id, payload ->> 'prompt' as prompt
  from events
  where session_id is not null and (kind = 'hook.prompt' or kind = 'retrieval.injected')
    and payload ->> 'prompt' ~ '\S'
  order by session_id, ts, id
) e
where e.session_id = s.id;

alter table sessions
  add called text not null generated always as (session_called(first_prompt, findings, cwd, name)) stored;

-- As before, and the session is called by the task from now on. Its claims are taken one after the other.
create or replace function claim_task(
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
  perform from sessions s where s.id = session and s.status = 'active' for no key update;
  if not found then
    return;
  end if;
  select t.* into seen from tasks t
  where t.id = task
    and fence_allows('write', caller, isolation, t.project, (select p.isolation from projects p where p.slug = t.project))
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
  update sessions s set claimed_task = task where s.id = session and s.claimed_task <> task;

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
  readable := fence_allows('read', caller, isolation, given.project,
    (select p.isolation from projects p where p.slug = given.project));
  return next;
end
$$;
