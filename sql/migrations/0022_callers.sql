-- Whose a call is, when its client shows what its own hook announced.

-- The client's process in which the session was last announced, and when: 32 hexadecimal digits, the
-- same for everything that the client starts. A process has one session at a time, the newest. A
-- session of session_start shares the identity of the caller's own and goes before it.
alter table sessions add process text collate "C" not null default '';
alter table sessions add announced_at timestamptz(3) not null default loam_now();
create index sessions_process on sessions (process, announced_at desc) where process <> '';

-- The newest session with this identity of a client; the id needs its client's name, for two clients may
-- give the same one.
create function session_of_client(of_client text, external text) returns sessions language sql stable as
$$
  select * from sessions
  where external_client = of_client and client_session_id = external
    and of_client <> '' and external <> '' and (ambient or status <> 'completed')
  order by announced_at desc, ambient, id desc
  limit 1
$$;

-- The session that a call shows. The id that a client gives with the call itself is exact, and nothing
-- else counts then. Else it is the one that the client's process announced last. The id with which a
-- process began comes after that, for it does not follow to the next session. Null when nothing of it was
-- announced.
create function session_shown(of_client text, shown_id text, of_process text, began_with text)
returns sessions language plpgsql stable as
$$
declare
  s sessions;
begin
  if shown_id <> '' then
    return session_of_client(of_client, shown_id);
  end if;
  if of_process <> '' then
    select * into s from sessions
    where process = of_process and (of_client = '' or external_client = of_client)
      and (ambient or status <> 'completed')
    order by announced_at desc, ambient, id desc
    limit 1;
  end if;
  if s.id is null and began_with <> '' then
    s := session_of_client(of_client, began_with);
  end if;
  return s;
end
$$;

drop function call_context(text);
drop function ambient_places();

-- Where do agents work? One row per project with a live ambient session: its level, and that session
-- with its client when there is exactly one; of several none can be told.
create function ambient_places()
returns table (project text, isolation text, session text, client text) language sql stable as
$$
  select s.project, coalesce(min(p.isolation), 'open'),
    case when count(*) = 1 then min(s.id) else '' end,
    case when count(*) = 1 then min(s.external_client) else '' end
  from sessions s
  left join projects p on p.slug = s.project
  where s.status = 'active' and s.ambient and s.updated_at > loam_now() - interval '6 hours'
  group by s.project
$$;

-- A session as a call sees it.
create function session_of_call(s sessions) returns jsonb language sql stable as
$$
  select case when s.id is not null then jsonb_build_object(
    'id', s.id, 'name', s.name, 'status', s.status, 'project', s.project,
    'isolation', coalesce((select p.isolation from projects p where p.slug = s.project), 'open'),
    'model', s.model, 'client', s.external_client, 'cwd', s.cwd, 'lab', s.lab) end
$$;

-- Whom does a connection speak for? Everything a call must know before its tool runs; null when there
-- is no such connection. A completed session is bound no more. What the call shows of its client
-- matters only to a connection without a session, and the ambient places only when that is unknown
-- too. As a function its plans are kept, which halves what every call begins with.
create function call_context(connection text, of_client text, of_process text, began_with text)
returns jsonb language plpgsql stable as
$$
declare
  c mcp_sessions;
  bound sessions;
  announced sessions;
begin
  select * into c from mcp_sessions where id = connection;
  if not found then
    return null;
  end if;
  if c.session_id is not null then
    select * into bound from sessions where id = c.session_id and status <> 'completed';
  end if;
  if bound.id is null and (of_process <> '' or began_with <> '') then
    announced := session_shown(of_client, '', of_process, began_with);
  end if;
  return jsonb_build_object(
    'protocol', c.protocol_version,
    'client', c.client,
    'lab', c.lab,
    'features', (select value from settings where key = 'features_config'),
    'bound', session_of_call(bound),
    'announced', session_of_call(announced),
    'ambients', case when bound.id is null and announced.id is null then
      (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from ambient_places() a) end);
end
$$;
