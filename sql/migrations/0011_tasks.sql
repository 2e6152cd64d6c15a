-- Tasks: work that agents divide among themselves. Rows only, no file stands behind them.
create table tasks (
  id text collate "C" primary key,
  project text collate "C" not null,            -- '' is the global scope
  title text not null,
  body text not null default '',
  status text not null default 'open' check (status in ('open', 'in_progress', 'done', 'dropped')),
  created_by text not null default '',          -- name of the session
  plan text collate "C" not null default '',    -- slug of the plan it is a step of
  claimed_by text collate "C" not null default '',   -- id of the session that holds it
  claim_token text collate "C" not null default '',
  lease_expires_at timestamptz(3),
  paths text[] not null default '{}',
  favorite boolean not null default false,
  created_at timestamptz(3) not null default loam_now(),
  updated_at timestamptz(3) not null default loam_now(),
  closed_at timestamptz(3)
);
create index tasks_unfinished on tasks (project, created_at, id) where status in ('open', 'in_progress');
create index tasks_plan on tasks (project, plan) where plan <> '';
create index tasks_claimed on tasks (claimed_by) where claimed_by <> '';

-- What a task waits for.
create table task_deps (
  task_id text collate "C" not null references tasks (id) on delete cascade,
  depends_on text collate "C" not null references tasks (id) on delete cascade,
  primary key (task_id, depends_on)
);
create index task_deps_blocker on task_deps (depends_on);

-- Which captured plan a session works on. A session has one at a time.
create table session_plans (
  session_id text collate "C" primary key references sessions (id) on delete cascade,
  basename text not null default '',            -- of the plan's file, without .md
  plan text collate "C" not null default '',    -- its slug; empty: no plan was captured yet
  status text not null default '',              -- as the plan's tag says
  pending_agents text[] not null default '{}'   -- notes of planning runs that wait for a plan
);
