-- What the gardener proposes and what people decided.
create table proposals (
  id text collate "C" primary key,
  kind text collate "C" not null,
  status text collate "C" not null default 'pending'
    check (status in ('pending', 'applied', 'dismissed', 'hidden')),
  dedupe_key text collate "C" not null,     -- what it is about: the same is asked again on newer evidence only
  evidence_at timestamptz not null,         -- when that which speaks for it was last so
  projects text[] collate "C" not null,     -- which it touches, beside those in which its items lie
  items text[] collate "C" not null,        -- memories and notes that it is about
  pass text collate "C" not null default '',  -- '': somebody asked for it
  plan text collate "C" not null default '',  -- the batch that it belongs to
  payload jsonb not null,
  result jsonb,                             -- what its apply told; null while it is not applied
  created_at timestamptz not null default loam_now(),
  resolved_at timestamptz,
  resolved_by text collate "C" not null default ''  -- the session that decided; '': the owner
);
create unique index proposals_open on proposals (dedupe_key) where status = 'pending';
create index proposals_key on proposals (dedupe_key);
create index proposals_status on proposals (status, created_at desc, id desc);
create index proposals_resolved on proposals (resolved_at desc) where status <> 'pending';
create index proposals_plan on proposals (plan) where status = 'pending' and plan <> '';

-- The files that an apply changed, as they were before: what an undo brings back.
create table proposal_files (
  proposal_id text collate "C" not null references proposals (id) on delete cascade,
  path text collate "C" not null,
  before bytea,  -- null: there was none
  after text collate "C",  -- the hash that the apply left; null: it took the file away
  primary key (proposal_id, path)
);

-- Whether the same is not to be proposed: it waits, it was hidden, or it was decided after what speaks for it.
create function is_settled(key text, evidence timestamptz) returns boolean language sql stable as
$$
  select exists (
    select from proposals p
    where p.dedupe_key = key and (p.status in ('pending', 'hidden') or p.resolved_at >= evidence)
  )
$$;

-- When the gardener looked, and what came of it. The newest are kept.
create table gardener_runs (
  id text collate "C" primary key,
  started_at timestamptz not null default loam_now(),
  ended_at timestamptz not null default loam_now(),
  passes jsonb not null   -- of each: its name, what it proposed and held back, how long it took, why it failed
);

-- How far a pass has looked that looks at what changed: up to the memory written at `at` with this id.
create table gardener_marks (
  pass text collate "C" primary key,
  at timestamptz not null,
  id text collate "C" not null
);
