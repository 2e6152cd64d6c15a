-- How many memories were not told again in projects that the caller may read, and what would they have taken?
select coalesce(sum(s.items), 0)::int8 as items, coalesce(sum(s.tokens), 0)::int8 as tokens
from told_savings s left join projects p on p.slug = s.project
where fence_allows('read', :caller, :level, s.project, p.isolation)
