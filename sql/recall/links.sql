-- Which memories do these memories link to? In the order of the memories that were given. A name means
-- the memory of the project, else an inherited one, else the global one; a link that names a project means that project alone.
select linked.id, min(s.nth)::int as nth
from unnest(:sources::text[]) with ordinality as s (id, nth)
  join links l on l.source_kind = 'memory' and l.source_id = s.id
  join lateral (
    select m.id from memories m
    where m.name = l.name and m.project = any (:searched::text[] || :inherited::text[]) and (l.project is null or m.project = l.project)
      and case when :at::timestamptz is null then m.invalid_at is null else stood('memory', m.id, :at) end
    order by m.project = '', m.project = any (:inherited::text[])
    limit 1
  ) linked on true
group by linked.id
order by nth, linked.id
