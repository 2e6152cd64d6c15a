-- Notes: rows derived from notes/<project>/<slug>.md. The file is the truth.
create table notes (
  id text collate "C" primary key,
  project text collate "C" not null,          -- '' is the global scope
  slug text collate "C" not null,
  title text not null,
  description text not null default '',
  body text not null,                         -- what recall cuts into passages; NUL shown as U+FFFD
  tags text[] not null default '{}',
  source_url text not null default '',
  model text not null default '',
  favorite boolean not null default false,
  path text collate "C" not null unique,
  content_hash text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (project, slug)
);
create index notes_recent on notes (updated_at desc, id);
create index notes_tags on notes using gin (tags);
