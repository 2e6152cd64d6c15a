-- A call knows whether hooks tell its agent anything: then what it shows is kept, so that they do not tell it again.

-- As before, and under which name its client knows the session; '' when no hook did say.
create or replace function session_of_call(s sessions, level text) returns jsonb language sql stable as
$$
  select case when s.id is not null then jsonb_build_object(
    'id', s.id, 'name', s.name, 'status', s.status, 'project', s.project, 'isolation', coalesce(level, 'open'),
    'model', s.model, 'client', s.external_client, 'cwd', s.cwd, 'lab', s.lab,
    'client_session_id', s.client_session_id) end
$$;
