-- Which events became visible after the snapshot :prev and are visible in the snapshot :now? They come in
-- the order (tx, id), after the cursor (:tx, :id) of the page before.
--
-- Ids are not in commit order, so "greater than the last one" loses events. A horizon of running
-- transactions stops for as long as the longest of them. New events can come only from transactions that
-- were in progress at :prev and from later ones. Each half has its own limit, so a page of a long replay
-- reads no more rows than a page.
(
  select id, ts, kind, session_id, project, item_id, payload, tx::text as tx, tx as place
  from events
  where tx = any (array(select pg_snapshot_xip(:prev::pg_snapshot)))
    and (tx, id) > (:tx::xid8, :id) and pg_visible_in_snapshot(tx, :now::pg_snapshot)
  order by events.tx, id
  limit :limit
)
union all
(
  select id, ts, kind, session_id, project, item_id, payload, tx::text as tx, tx as place
  from events
  where tx >= pg_snapshot_xmax(:prev::pg_snapshot) and tx < pg_snapshot_xmax(:now::pg_snapshot)
    and (tx, id) > (:tx::xid8, :id) and pg_visible_in_snapshot(tx, :now::pg_snapshot)
  order by events.tx, id
  limit :limit
)
order by place, id
limit :limit
