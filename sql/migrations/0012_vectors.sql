-- Vectors: what a passage means, by the model that read it. All of it is derived.

-- Vectors of different models are never compared. The name is `model@dims`.
create table models (
  number smallint generated always as identity primary key,
  name text collate "C" not null unique,
  dims integer not null
);

-- One vector for each passage. Filter columns are those of the passage, changed in the same statement.
create table vectors (
  kind text collate "C" not null,
  id text collate "C" not null,
  chunk integer not null,
  model smallint not null,
  project integer not null,
  active boolean not null,
  made_at timestamptz(3) not null default loam_now(),
  hash text collate "C" not null,             -- of the passage's text when it was read
  e halfvec not null,                         -- of length 1; at most 4,000 dimensions fit into a row
  b bit varying not null generated always as (binary_quantize(e)) stored,
  primary key (kind, id, chunk)
);
-- A search reads `e` once for each row it looks at: it lies in the row, and so does what stands beside it.
alter table vectors alter column e set storage plain;
alter table vectors set (toast_tuple_target = 8160);
-- Everything a first look needs: the rows themselves are read for the best few.
create index vectors_bits on vectors (model, project) include (kind, id, chunk, b) where active;

-- Items that may have a passage without a vector. Filled by every change of a passage.
create table embedding_queue (
  kind text collate "C" not null,
  id text collate "C" not null,
  older_than timestamptz(3),                  -- vectors made before this are made again; null: only those it lacks
  queued_at timestamptz(3) not null default loam_now(),
  due_at timestamptz(3) not null default loam_now(),
  tries integer not null default 0,
  error text not null default '',             -- of the last try
  primary key (kind, id)
);
create index embedding_queue_due on embedding_queue (due_at);
