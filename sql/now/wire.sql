-- What happened last? Acts of any session and project, without calls and their like, the newest first.
select id, ts, kind, session_id, project, item_id, payload - '{content,findings,diff}'::text[] as payload, tx
from events_acts
order by ts desc, id desc
limit :most::int
