-- How many passages may the caller read?
select coalesce(sum(t.passages), 0)::int as passages
from passage_totals t left join projects p on p.number = t.project
where :everywhere::boolean or fence_allows('read', :caller, :level, coalesce(p.slug, ''), p.isolation)
