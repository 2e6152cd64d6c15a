-- Where did the memories of projects go that are out of use, or those of :slug alone? By the moves that were recorded,
-- each memory by its last one. What lies in its old project again was taken back, and that it left the other one then is no
-- move of that one's.
with moved as (
  select distinct on (p.slug, e.item_id) p.slug as source, e.payload ->> 'to' as scope
  from projects p
    join events_acts e on e.payload ->> 'from' = p.slug and e.kind = 'memory.moved'
    left join memories m on m.id = e.item_id
  where p.retired_at is not null and (:slug::text is null or p.slug = :slug) and m.project is distinct from p.slug
    and not e.payload ? 'restored'
  order by p.slug, e.item_id, e.ts desc, e.id desc
)
select p.slug as source, p.retired_at, m.scope, count(m.scope)::int as moves
from projects p left join moved m on m.source = p.slug
where p.retired_at is not null and (:slug::text is null or p.slug = :slug)
group by p.slug, p.retired_at, m.scope
order by p.slug, moves desc, m.scope
