-- Agents' sessions, and the connections that speak for them.
create table sessions (
  id text collate "C" primary key,
  name text collate "C" not null unique,
  project text collate "C" not null default '',  -- '' is the global scope
  status text not null default 'active' check (status in ('active', 'completed', 'expired')),
  findings text not null default '',
  client_session_id text not null default '',
  external_client text not null default '',
  cwd text not null default '',
  source text not null default 'explicit',
  model text not null default '',
  ambient boolean not null default false,     -- made by a client's hook, not by session_start
  favorite boolean not null default false,
  metadata jsonb not null default '{}',
  input_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  cache_creation_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at timestamptz(3) not null default loam_now(),
  updated_at timestamptz(3) not null default loam_now()
);
create unique index sessions_client on sessions (external_client, client_session_id)
  where ambient and external_client <> '' and client_session_id <> '';
create index sessions_live on sessions (updated_at) where status = 'active';

-- A connection outlives processes: an Mcp-Session-Id continues after a restart and on another process.
create table mcp_sessions (
  id text collate "C" primary key,
  client text not null default '',
  client_version text not null default '',
  protocol_version text not null,
  session_id text collate "C" references sessions (id) on delete set null,
  lab text not null default '',
  created_at timestamptz(3) not null default loam_now(),
  last_seen timestamptz(3) not null default loam_now()
);
create index mcp_sessions_last_seen on mcp_sessions (last_seen);
create index mcp_sessions_session on mcp_sessions (session_id);
