-- Which events of :kinds happened last in :project between :after and :until, :most of them, the newest first? Either
-- time may be null. Calls and what else is :transport lie apart, and are not looked through for acts alone.
select id, ts, kind, session_id, project, item_id, payload, tx
from events
where project = :project and kind = any (:kinds::text[]) and (:transport::boolean or not transport)
  and ts >= coalesce(:after::timestamptz, '-infinity') and ts < coalesce(:until::timestamptz, 'infinity')
order by ts desc, id desc
limit :most
