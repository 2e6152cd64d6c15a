-- How many passages are there: in all that everybody may read together (place ''), and in each fenced project?
select t.place, sum(n.passages)::int as passages
from passage_totals n
  left join projects p on p.number = n.project,
  lateral (
    select case when fence_allows('read', '', 'open', coalesce(p.slug, ''), p.isolation) then '' else p.slug end as place
  ) t
group by t.place
