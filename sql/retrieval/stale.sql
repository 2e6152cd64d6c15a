-- Which active memories were neither changed nor put before an agent nor read for :days days? The one that was changed
-- longest ago first, :most of them; `total` counts all.
with bound as materialized (select loam_now() - :days * interval '1 day' as at)
select r.id, count(*) over ()::int as total
from bound b join memory_reach r on r.active and r.updated_at < b.at
where (r.last_at is null or r.last_at < b.at) and (r.wanted_at is null or r.wanted_at < b.at)
order by r.updated_at, r.id
limit :most
