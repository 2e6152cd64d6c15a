-- A call is told whether the project of its session has a row: who works there may do everything there, and nothing has to
-- be asked of it.
create or replace function session_of_call(s sessions, level text) returns jsonb language sql stable as
$$
  select case when s.id is not null then jsonb_build_object(
    'id', s.id, 'name', s.name, 'status', s.status, 'project', s.project, 'isolation', coalesce(level, 'open'),
    'registered', level is not null, 'model', s.model, 'client', s.external_client, 'cwd', s.cwd, 'lab', s.lab) end
$$;
