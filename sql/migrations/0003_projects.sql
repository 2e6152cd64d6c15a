-- Projects. The global scope is '' everywhere and never a row here.
create table projects (
  id text collate "C" primary key,
  slug text collate "C" not null unique,
  name text not null,
  description text not null default '',
  isolation text not null default 'open' check (isolation in ('open', 'confidential', 'sealed')),
  parent_slug text collate "C" references projects (slug),
  retired_at timestamptz(3),
  favorite boolean not null default false,
  created_at timestamptz(3) not null default loam_now(),
  updated_at timestamptz(3) not null default loam_now(),
  check (parent_slug is null or (isolation = 'open' and parent_slug <> slug))
);
