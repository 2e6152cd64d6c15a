-- Every call begins with this question, so it is one statement where the connection has a session.

-- A session as a call sees it, in a project of that level. Null for none. Without a query of its own it becomes a part of
-- whatever statement asks it.
create function session_of_call(s sessions, level text) returns jsonb language sql stable as
$$
  select case when s.id is not null then jsonb_build_object(
    'id', s.id, 'name', s.name, 'status', s.status, 'project', s.project, 'isolation', coalesce(level, 'open'),
    'model', s.model, 'client', s.external_client, 'cwd', s.cwd, 'lab', s.lab) end
$$;

create or replace function session_of_call(s sessions) returns jsonb language sql stable as
$$
  select session_of_call(s, (select p.isolation from projects p where p.slug = s.project))
$$;

-- Whom does a connection speak for? Everything a call must know before its tool runs; null when there
-- is no such connection. A completed session is bound no more. What the call shows of its client
-- matters only to a connection without a session, and the ambient places only when that is unknown
-- too. As a function its plans are kept.
create or replace function call_context(connection text, of_client text, of_process text, began_with text)
returns jsonb language plpgsql stable as
$$
declare
  context jsonb;
  announced sessions;
begin
  select jsonb_build_object(
      'protocol', c.protocol_version,
      'client', c.client,
      'lab', c.lab,
      'features', (select value from settings where key = 'features_config'),
      'bound', session_of_call(s, p.isolation),
      'announced', null,
      'ambients', null)
    into context
    from mcp_sessions c
      left join sessions s on s.id = c.session_id and s.status <> 'completed'
      left join projects p on p.slug = s.project
    where c.id = connection;
  if context is null or context -> 'bound' <> 'null' then
    return context;
  end if;
  if of_process <> '' or began_with <> '' then
    announced := session_shown(of_client, '', of_process, began_with);
  end if;
  return context || jsonb_build_object(
    'announced', session_of_call(announced),
    'ambients', case when announced.id is null then
      (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from ambient_places() a) end);
end
$$;
