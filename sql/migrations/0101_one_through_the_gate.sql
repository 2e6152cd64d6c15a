-- Inserts that come to the gate of the feed at the same moment all found it open, and each sent a NOTIFY. One of them
-- passes now: the others find the lock of this moment held, or, when it is free again, the stamp of whoever held it. A
-- moment is 20 ms long; where one ends and the next begins two may still pass.
create or replace function wake_feed() returns trigger language plpgsql as
$$
declare
  now bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
  last bigint;
begin
  select last_value into last from feed_gate;
  -- A stamp from the future is one of a clock that was set back: it counts as old.
  if now - last between 0 and 20 or not pg_try_advisory_xact_lock(hashtextextended('loam feed gate', now / 20)) then
    return null;
  end if;
  select last_value into last from feed_gate;
  if now - last not between 0 and 20 then
    perform setval('feed_gate', now);
    perform pg_notify('loam_events', '');
  end if;
  return null;
end
$$;
