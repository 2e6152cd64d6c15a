-- Memories: rows derived from memory/<project>/<name>.md. The file is the truth.
create table memories (
  id text collate "C" primary key,
  project text collate "C" not null,          -- '' is the global scope
  name text collate "C" not null,
  kind text collate "C" not null,
  description text not null default '',
  body text not null,
  tags text[] not null default '{}',
  stage_status text not null default '',      -- of a stage: what the header of its body says
  stage_gate text not null default '',
  valid_from timestamptz(3) not null,
  invalid_at timestamptz(3),                  -- null: active. The only test of it
  superseded_by text collate "C" not null default '',  -- the replacement's id; '' and inactive: archived
  source_session text collate "C" not null default '',
  model text not null default '',
  favorite boolean not null default false,
  path text collate "C" not null unique,
  content_hash text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  heading tsvector not null,                  -- finished lexemes of name and description
  unique (project, name)                      -- an inactive memory keeps its name
);
create index memories_recent on memories (updated_at desc, id);
create index memories_kind on memories (project, kind, updated_at desc) where invalid_at is null;
create index memories_heading on memories using gin (project, heading) where invalid_at is null;
create index memories_superseded on memories (superseded_by) where superseded_by <> '';
create index memories_tags on memories using gin (tags);

-- Wiki links of bodies: [[name]], [[project/name]]. What they mean is settled by whoever follows one.
create table links (
  source_kind text collate "C" not null,
  source_id text collate "C" not null,
  name text collate "C" not null,
  project text collate "C",                   -- '' is the global scope; null: the link names none
  unique nulls not distinct (source_kind, source_id, name, project)
);
create index links_name on links (name);
