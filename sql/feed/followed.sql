-- Which events of these :kinds became visible after the snapshot :prev and are visible in the snapshot :now? They
-- come in the order (tx, id), after the row (:tx, :id). As between.sql, which explains the two halves.
(
  select id, ts, kind, session_id, project, item_id, payload, tx::text as tx, tx as place
  from events
  where tx = any (array(select pg_snapshot_xip(:prev::pg_snapshot))) and kind = any (:kinds::text[])
    and (tx, id) > (:tx::xid8, :id) and pg_visible_in_snapshot(tx, :now::pg_snapshot)
  order by events.tx, id
  limit :limit
)
union all
(
  select id, ts, kind, session_id, project, item_id, payload, tx::text as tx, tx as place
  from events
  where tx >= pg_snapshot_xmax(:prev::pg_snapshot) and tx < pg_snapshot_xmax(:now::pg_snapshot)
    and kind = any (:kinds::text[])
    and (tx, id) > (:tx::xid8, :id) and pg_visible_in_snapshot(tx, :now::pg_snapshot)
  order by events.tx, id
  limit :limit
)
order by place, id
limit :limit
