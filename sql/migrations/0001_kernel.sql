-- What every room stands on: the store's identity, the clock, leases, settings and the register of files.
create extension if not exists vector;
create extension if not exists btree_gin;
create extension if not exists pg_trgm;
create extension if not exists unaccent;

-- One row: which store this database belongs to. The same id stands in <data_dir>/.loam-store.
create table store (
  one boolean primary key default true check (one),
  id text not null
);

-- One row: moves loam_now(). Only tests write it.
create table clock (
  one boolean primary key default true check (one),
  shift interval not null default '0'
);
insert into clock default values;

-- The time by which things are ordered and expire, to the millisecond. Never the client's clock.
-- In plpgsql, which plans it once for a connection and not once for every statement that asks.
create function loam_now() returns timestamptz language plpgsql volatile parallel safe as
$$
begin
  return date_trunc('milliseconds', clock_timestamp() + (select shift from clock));
end
$$;

-- Timers run on whichever process holds their lease; the token fences a holder that slept past its time.
create table leases (
  name text collate "C" primary key,
  holder text not null,
  until timestamptz not null,
  token bigint not null default 1
);

-- Override rows, over the configuration file and the environment.
create table settings (
  key text collate "C" primary key,
  value jsonb not null,
  updated_at timestamptz(3) not null default loam_now()
);

-- Every knowledge file that was seen, as it was seen last. Reconcile compares against it.
create table files (
  path text collate "C" primary key,          -- below the data directory, with forward slashes
  content_hash text not null,                 -- SHA-256 of the bytes, lower-case hex
  size bigint not null,
  mtime_ns text not null,                     -- nanoseconds since 1970: past what a float holds
  inode text not null,
  problem text,                               -- why the file is listed and not indexed
  hashed_at timestamptz(3) not null default loam_now()
);
create index files_problem on files (path) where problem is not null;
