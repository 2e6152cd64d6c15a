-- Which of the memories behind the id :after, :page of them, has nobody touched, been shown or read for so many days?
-- Those that others link to which have not ended, stars, constraints and stages are kept however quiet they are. `last`
-- is the id with which the page ends, in every row; without a match it stands alone, and it is null behind the last
-- memory.
with page as materialized (
  select m.id, m.name, m.project, m.kind, m.description, m.updated_at, m.invalid_at, m.favorite
  from memories m
  where m.id > :after
  order by m.id
  limit :page
)
select (select max(id) from page) as last, s.*
from (select) one left join lateral (
  select m.id, m.name, m.project, m.kind, m.description, q.last_activity,
    q.last_activity + :days * interval '1 day' as evidence_at,
    floor(extract(epoch from loam_now() - q.last_activity) / 86400)::int as days
  from page m
    left join item_stats s on s.kind = 'memory' and s.id = m.id,
    lateral (select greatest(m.updated_at, s.last_injected_at, s.last_read_at) as last_activity) q
  where m.invalid_at is null
    and m.updated_at < loam_now() - :days * interval '1 day'
    and q.last_activity < loam_now() - :days * interval '1 day'
    and m.kind not in ('constraint', 'stage')
    and not m.favorite
    and not exists (
      select from links l left join memories by on l.source_kind = 'memory' and by.id = l.source_id
      where l.name = m.name and (l.source_kind, l.source_id) <> ('memory', m.id) and by.invalid_at is null
    )
    and not is_settled('archive:' || m.id, q.last_activity + :days * interval '1 day')
) s on true
