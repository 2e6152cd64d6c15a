-- A session whose client has ended its turn rests.

-- Minutes of silence after which it is idle, said when its turn ended; null while a turn runs.
alter table sessions add idle_minutes integer;

-- As before; a session that rests for longer than that is not at work, and no call is guessed to be its.
create or replace function ambient_places()
returns table (project text, isolation text, session text, client text) language sql stable as
$$
  select s.project, coalesce(min(p.isolation), 'open'),
    case when count(*) = 1 then min(s.id) else '' end,
    case when count(*) = 1 then min(s.external_client) else '' end
  from sessions s
  left join projects p on p.slug = s.project
  where s.status = 'active' and s.ambient
    and s.updated_at > loam_now() - coalesce(s.idle_minutes * interval '1 minute', interval '6 hours')
  group by s.project
$$;

-- For whom a connection spoke last that no session_start bound: when its client is gone, that session ends.
alter table mcp_sessions add spoke_for text collate "C" not null default '';
