-- How many events of each kind has the log recorded for projects that the caller may read?
select c.kind, sum(c.events)::int8 as count
from log_counts c left join projects p on p.slug = c.project
where fence_allows('read', :caller, :level, c.project, p.isolation)
group by c.kind
order by c.kind
