-- What happened last? Acts of any session and project, without calls and their like and without the kinds :untold,
-- the newest first.
select id, ts, kind, session_id, project, item_id, payload - '{content,findings,diff}'::text[] as payload, tx
from events_acts
where kind <> all (:untold::text[])
order by ts desc, id desc
limit :most::int
