-- Which stages are over, or never said that they stand, and were not touched for so many days? Longest ago first.
select m.id, m.name, m.project, m.kind, m.description, m.updated_at as last_activity, m.stage_status as status,
  m.updated_at + :days * interval '1 day' as evidence_at,
  floor(extract(epoch from loam_now() - m.updated_at) / 86400)::int as days,
  (count(*) over ())::int as found
from memories m
where m.invalid_at is null
  and m.kind = 'stage'
  and m.stage_status not in ('open', 'in_progress', 'blocked')
  and m.updated_at < loam_now() - :days * interval '1 day'
  and not m.favorite
  and not exists (
    select from links l left join memories by on l.source_kind = 'memory' and by.id = l.source_id
    where l.name = m.name and (l.source_kind, l.source_id) <> ('memory', m.id) and by.invalid_at is null
  )
  and not is_settled('archive:' || m.id, m.updated_at + :days * interval '1 day')
order by m.updated_at, m.id
limit :most
