-- Which memories stood in so many briefings of the last days, and nobody asked for them? What was decided on one
-- before counts from then on. Those that others link to which have not ended, stars, constraints, stages and young ones
-- are kept.
select m.id, m.name, m.project, m.kind, m.description, m.updated_at as last_activity, w.shown,
  w.newest as evidence_at, (count(*) over ())::int as found
from memories m
  join item_stats s on s.kind = 'memory' and s.id = m.id,
  lateral (
    select max(p.resolved_at) as at from proposals p
    where p.dedupe_key = 'archive:' || m.id and p.status <> 'pending'
  ) decided,
  lateral (
    select greatest(loam_now() - :days * interval '1 day', decided.at) as since
  ) span,
  lateral (
    select count(*)::int as shown, max(ts) as newest
    from (
      select i.ts from event_items_acts i join events_acts e on e.id = i.event_id
      where i.item_id = m.id and i.ts > span.since and i.class = 'shown' and e.payload ->> 'hook' = 'session-start'
      order by i.ts desc
      limit :shows
    ) recent
  ) w
where m.invalid_at is null
  and m.created_at < loam_now() - :young * interval '1 day'
  and m.kind not in ('constraint', 'stage')
  and not m.favorite
  and s.inject_count >= :shows
  and (s.last_read_at is null or s.last_read_at < loam_now() - :days * interval '1 day')
  and not exists (
    select from event_items_acts i
    where i.item_id = m.id and i.class in ('recall', 'prompt') and i.ts > loam_now() - :days * interval '1 day'
  )
  and not exists (
    select from links l left join memories by on l.source_kind = 'memory' and by.id = l.source_id
    where l.name = m.name and (l.source_kind, l.source_id) <> ('memory', m.id) and by.invalid_at is null
  )
  and w.shown >= :shows
  and not is_settled('archive:' || m.id, w.newest)
order by w.newest desc, m.id
limit :most
