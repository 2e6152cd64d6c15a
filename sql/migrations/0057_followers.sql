-- Who follows the log, and how far each has come. An event is handed to a follower in the transaction that moves its
-- row, so once, whichever process it is. A follower has a row only while it follows.
create table followers (
  name text collate "C" primary key,
  since timestamptz(3) not null default loam_now(),
  -- Snapshots: all that is visible in prev was handed over, and of what became visible up to now all that stands
  -- before the row (tx, id).
  prev text not null,
  now text not null,
  tx xid8 not null,
  id text collate "C" not null,
  -- How far what is visible in prev has been counted, before anything else is handed over; null: all of it.
  past_ts timestamptz(3),
  past_id text collate "C" not null default ''
);
