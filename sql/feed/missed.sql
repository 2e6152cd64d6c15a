-- How many events are between the two cursors of between.sql? The count stops at :most.
select count(*)::int as missed
from (
  (
    select 1
    from events
    where tx = any (array(select pg_snapshot_xip(:prev::pg_snapshot)))
      and (tx, id) > (:tx::xid8, :id) and pg_visible_in_snapshot(tx, :now::pg_snapshot)
    limit :most
  )
  union all
  (
    select 1
    from events
    where tx >= pg_snapshot_xmax(:prev::pg_snapshot) and tx < pg_snapshot_xmax(:now::pg_snapshot)
      and (tx, id) > (:tx::xid8, :id) and pg_visible_in_snapshot(tx, :now::pg_snapshot)
    limit :most
  )
) e
