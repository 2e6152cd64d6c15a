-- Where did the memories of projects go that are out of use? By the moves that were recorded, each memory by its last
-- one. What lies in its old project again was taken back.
with moved as (
  select distinct on (p.slug, e.item_id) p.slug as source, e.payload ->> 'to' as scope
  from events e
    join projects p on p.slug = e.payload ->> 'from' and p.retired_at is not null
    left join memories m on m.id = e.item_id
  where e.kind = 'memory.moved' and m.project is distinct from p.slug
  order by p.slug, e.item_id, e.ts desc, e.id desc
)
select p.slug as source, p.retired_at, m.scope, count(m.scope)::int as moves
from projects p left join moved m on m.source = p.slug
where p.retired_at is not null
group by p.slug, p.retired_at, m.scope
order by p.slug, moves desc, m.scope
