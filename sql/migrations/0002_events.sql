-- The log of acts and of transport. Permanent kinds are one table with unique ids;
-- transport kinds are cut by month, so that retention drops whole partitions.
create table events (
  id text collate "C" not null,
  ts timestamptz(3) not null,
  kind text collate "C" not null,
  transport boolean not null,
  session_id text collate "C",
  project text collate "C",                   -- '' is the global scope; null: none
  item_id text collate "C",
  payload jsonb not null default '{}',
  tx xid8 not null default pg_current_xact_id()  -- ids are not in commit order; tailing reads by transaction
) partition by list (transport);

create table events_acts partition of events for values in (false);
create unique index events_acts_id on events_acts (id);
create table events_transport partition of events for values in (true) partition by range (ts);
-- Saves a row whose month was not made in time.
create table events_transport_default partition of events_transport default;

create index events_tail on events (tx, id);
create index events_ts on events (ts);
create index events_kind on events (kind, ts);
create index events_session on events (session_id, ts);
create index events_item on events (item_id, ts);

-- Which items an event surfaced or touched, beyond the one it is about.
create table event_items (
  event_id text collate "C" not null,
  ts timestamptz(3) not null,
  transport boolean not null,
  item_kind text not null,
  item_id text collate "C" not null,
  class text not null
) partition by list (transport);
create table event_items_acts partition of event_items for values in (false);
create table event_items_transport partition of event_items for values in (true) partition by range (ts);
create table event_items_transport_default partition of event_items_transport default;
create index event_items_item on event_items (item_id, ts);
create index event_items_event on event_items (event_id);

-- What may happen once ever: the event is recorded only if a row went in here.
create table moments (
  kind text collate "C" not null,
  project text collate "C" not null,
  item text collate "C" not null,
  day date not null default '-infinity',
  event_id text collate "C" not null,
  primary key (kind, project, item, day)
);
