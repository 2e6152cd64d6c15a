-- Tasks that are done or dropped, the one that was closed last first, and how many there are.
select t.id, (count(*) over ())::int as matching
from tasks t
where t.status in ('done', 'dropped')
  and (:project::text is null or t.project = :project) and (:plan::text is null or t.plan = :plan)
  and (:pattern::text = '' or t.title ilike :pattern or t.plan collate "default" ilike :pattern or t.id ilike :pattern or t.body ilike :pattern)
order by coalesce(t.closed_at, t.updated_at) desc, t.id desc
limit :most::int offset :skip::int
