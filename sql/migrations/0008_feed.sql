-- The live feed: an insert of events wakes those who tail them, but not once per row. A NOTIFY holds
-- one lock of the whole cluster across the commit's fsync, so it passes a gate: none is sent within
-- 20 ms of the last one. The gate is a sequence, which is cheap to read and does not wait for commits.
-- A wake-up says only that something happened; whoever is woken reads the rows.
create sequence feed_gate as bigint minvalue 0 start 0;

create function wake_feed() returns trigger language plpgsql as
$$
declare
  now bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
  last bigint;
begin
  select last_value into last from feed_gate;
  -- A stamp from the future is one of a clock that was set back: it counts as old.
  if now - last not between 0 and 20 then
    perform setval('feed_gate', now);
    perform pg_notify('loam_events', '');
  end if;
  return null;
end
$$;

create trigger events_wake_feed after insert on events for each statement execute function wake_feed();
