-- How many memories of each kind does :searched hold, how many of them have a star, and how many are :project's own?
select m.kind, count(*)::int as memories, count(*) filter (where m.project = :project)::int as own,
  (
    select count(*)::int from memories s
    where s.invalid_at is null and s.favorite and s.project = any (:searched::text[]) and s.kind = m.kind
  ) as starred
from memories m
where m.invalid_at is null and m.project = any (:searched::text[])
group by m.kind
