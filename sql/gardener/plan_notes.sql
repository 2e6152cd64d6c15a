-- When was a note with one of these tags, plan:<slug>, last changed in each project?
select n.project, t.tag, max(n.updated_at) as at
from notes n, lateral (select distinct tag from unnest(n.tags) as tag where tag = any (:tags::text[])) t
where n.tags && :tags::text[]
group by 1, 2
