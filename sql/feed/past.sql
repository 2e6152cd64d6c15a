-- What of these :kinds was in the log already when the snapshot :prev was taken? In the order (ts, id), after the
-- row (:ts, :id). Each kind by its index.
select e.id, e.ts, e.kind, e.session_id, e.project, e.item_id, e.payload, e.tx
from unnest(:kinds::text[]) as k (kind)
cross join lateral (
  select id, ts, kind, session_id, project, item_id, payload - '{content,diff,findings}'::text[] as payload, tx::text as tx
  from events
  where events.kind = k.kind and ts >= :ts::timestamptz and (ts, id) > (:ts::timestamptz, :id)
    and pg_visible_in_snapshot(events.tx, :prev::pg_snapshot)
  order by ts, id
  limit :limit
) e
order by e.ts, e.id
limit :limit
