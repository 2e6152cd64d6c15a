-- Which events of :kinds happened last in :project, :most of them, the newest first? Those of sessions are found by
-- their session, in the :look that were heard last; others stand among the last :near of all.
with
  heard as (
    select id from sessions where project = :project order by updated_at desc, id limit :look
  ),
  found as (
    select e.*
    from heard h, lateral (
      select e.id, e.ts, e.kind, e.session_id, e.project, e.item_id, e.payload, e.tx
      from events e
      where e.session_id = h.id and e.kind = any (:kinds::text[]) and e.project = :project
      order by e.ts desc, e.id desc
      limit :most
    ) e
    union all
    select n.*
    from (
      select e.id, e.ts, e.kind, e.session_id, e.project, e.item_id, e.payload, e.tx
      from events e
      where e.kind = any (:kinds::text[])
      order by e.ts desc, e.id desc
      limit :near
    ) n
    where n.project = :project and not exists (select from heard h where h.id = n.session_id)
  )
select * from found order by ts desc, id desc limit :most
