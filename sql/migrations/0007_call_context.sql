-- Where do the agents work whose clients speak through hooks only? One row per project with a live
-- ambient session: its level, and the session heard last.
create function ambient_places()
returns table (project text, isolation text, session text, model text) language sql stable as
$$
  select distinct on (s.project) s.project, coalesce(p.isolation, 'open'), s.id, s.model
  from sessions s
  left join projects p on p.slug = s.project
  where s.status = 'active' and s.ambient and s.updated_at > loam_now() - interval '6 hours'
  order by s.project, s.updated_at desc, s.id desc
$$;

-- Whom does a connection speak for? Everything a call must know before its tool runs; null when there
-- is no such connection. A completed session is bound no more. The ambient places matter only to a
-- connection without a session. As a function its plans are kept, which halves what every call begins with.
create function call_context(connection text) returns jsonb language plpgsql stable as
$$
declare
  c mcp_sessions;
  bound sessions;
begin
  select * into c from mcp_sessions where id = connection;
  if not found then
    return null;
  end if;
  if c.session_id is not null then
    select * into bound from sessions where id = c.session_id and status <> 'completed';
  end if;
  return jsonb_build_object(
    'protocol', c.protocol_version,
    'lab', c.lab,
    'features', (select value from settings where key = 'features_config'),
    'session', case when bound.id is not null then jsonb_build_object(
      'id', bound.id, 'name', bound.name, 'status', bound.status, 'project', bound.project,
      'isolation', coalesce((select p.isolation from projects p where p.slug = bound.project), 'open'),
      'model', bound.model) end,
    'ambients', case when bound.id is null then
      (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from ambient_places() a) end);
end
$$;
