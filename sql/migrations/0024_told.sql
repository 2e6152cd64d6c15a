-- What the context of each agent holds of memories, so that no hook tells it a second time.
create table told (
  session uuid not null,                      -- told_session: a client's session, else one of ours
  agent text collate "C" not null,            -- the hash of a subagent's id; '' is the session itself
  item text collate "C" not null,
  version uuid not null,                      -- told_version of what was shown
  at timestamptz(3) not null default loam_now(),
  primary key (session, agent, item)
);
-- Rows come and go with every session.
alter table told set (autovacuum_vacuum_scale_factor = 0.05);
create index told_at on told (at);

-- Whose context it is. A session that an agent began beside that of its client shares the client's id.
create function told_session(client text, external text, id text) returns uuid
language sql immutable parallel safe as
$$ select md5(case when external = '' then id else client || '/' || external end)::uuid $$;

-- What a memory says: another version is told again. A star, a tag and a move change nothing of it.
create function told_version(m memories) returns uuid language sql immutable parallel safe as
$$ select md5(m.kind || chr(31) || m.name || chr(31) || m.description || chr(31) || m.body)::uuid $$;

-- What was not told again, and the tokens that it would have taken. Several rows of a project are summed, so
-- that hooks seldom wait for each other.
create table told_savings (
  project text collate "C" not null,          -- of the session; '' is the global scope
  slot smallint not null,                     -- tells the rows apart and means nothing else
  items bigint not null,
  tokens bigint not null,
  primary key (project, slot)
) with (fillfactor = 70);
