-- Do the log's transaction numbers come from another cluster? Then one of them lies ahead of our own,
-- and events of today would count as long seen. Numbers of their own mean nothing here: they become 0,
-- which is before every place. Answers how many rows that were.
with settled as (
  update events set tx = '0'
  where tx <> '0'
    and exists (select from events where tx >= pg_snapshot_xmax(pg_current_snapshot()))
  returning 1
)
select count(*)::int as settled from settled
