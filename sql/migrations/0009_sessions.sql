-- Where the agents' repositories lie, which projects are kin, and what a session keeps beside its row.
alter table sessions add lab text not null default '';
-- A client's end closes every session with its identity, those of session_start included.
create index sessions_identity on sessions (external_client, client_session_id)
  where client_session_id <> '';
create index sessions_recent on sessions (updated_at desc, id);
create index sessions_findings on sessions (project, updated_at desc) where findings <> '';

-- Which project a place belongs to. An absolute path as an agent's machine calls it, or a normalised
-- git remote (github.com/acme/orders). It lies on other machines: nothing here is ever looked at.
create table repos (
  place text collate "C" primary key,
  remote boolean not null,
  project text collate "C" not null,
  sighted boolean not null default false,     -- registered at first sight; false: said by the owner
  created_at timestamptz(3) not null default loam_now()
);
create index repos_project on repos (project);

-- Projects whose briefings tell of each other.
create table families (
  family text collate "C" not null,
  project text collate "C" not null,
  primary key (family, project)
);
create index families_project on families (project);

-- As before, and: an open lab is the session's, while the connection has one; else the connection's own.
create or replace function call_context(connection text) returns jsonb language plpgsql stable as
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
    'lab', coalesce(nullif(bound.lab, ''), c.lab),
    'features', (select value from settings where key = 'features_config'),
    'session', case when bound.id is not null then jsonb_build_object(
      'id', bound.id, 'name', bound.name, 'status', bound.status, 'project', bound.project,
      'isolation', coalesce((select p.isolation from projects p where p.slug = bound.project), 'open'),
      'model', bound.model) end,
    'ambients', case when bound.id is null then
      (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from ambient_places() a) end);
end
$$;
