-- What happened last, :most of it? Calls and prompts only where there is nothing else, and nothing of the kinds
-- :untold.
with
  told as (
    (select id, ts, kind, session_id, project, item_id, payload, 0 as rank from events_acts
      where kind <> all (:untold::text[]) order by ts desc, id desc limit :most)
    union all
    (select id, ts, kind, session_id, project, item_id, payload, 0 from events
      where transport and kind = 'recall.miss' order by ts desc, id desc limit :most)
    union all
    (select id, ts, kind, session_id, project, item_id, payload, 0 from events
      where transport and kind = 'hook.error' order by ts desc, id desc limit :most)
    union all
    (select id, ts, kind, session_id, project, item_id, payload, 1 from events
      where transport and kind in ('tool.call', 'hook.prompt') order by ts desc, id desc limit :most)
  ),
  best as (select * from told order by rank, ts desc, id desc limit :most)
select id, ts, kind, session_id, project, item_id, payload from best order by ts desc, id desc
