-- Which events became visible after the snapshot :prev and are visible in the snapshot :now? In the
-- order (tx, id), behind the place (:tx, :id) of a page read before.
--
-- Ids are not in commit order, so "greater than the last one" loses events; a horizon of running
-- transactions stops for as long as the longest of them. What was in progress at :prev, and all that
-- began since, is exactly what can have become visible.
select e.id, e.ts, e.kind, e.session_id, e.project, e.item_id, e.payload, e.tx::text as tx
from (
  select * from events
  where tx >= pg_snapshot_xmax(:prev::pg_snapshot)
  union all
  select * from events
  where tx in (select pg_snapshot_xip(:prev::pg_snapshot))
) e
where pg_visible_in_snapshot(e.tx, :now::pg_snapshot) and (e.tx, e.id) > (:tx::xid8, :id)
order by e.tx, e.id
limit :limit
