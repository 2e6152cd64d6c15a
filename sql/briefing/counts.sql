-- How many memories are there in :searched, by kind, and how many of them are starred?
select m.kind, count(*)::int as memories,
  (
    select count(*)::int from memories s
    where s.invalid_at is null and s.favorite and s.project = any (:searched::text[]) and s.kind = m.kind
  ) as starred
from memories m
where m.invalid_at is null and m.project = any (:searched::text[])
group by m.kind
