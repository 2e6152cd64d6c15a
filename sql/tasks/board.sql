-- Tasks by where they stand: what is ready, in progress, blocked (closed ones: see closed.sql), the newest first. One
-- page of those that match, and how many match in each.
with
  matching as (
    select t.id, t.created_at,
      case when t.status = 'in_progress' then 'in_progress' when t.blocked then 'blocked' else 'ready' end as bucket
    from tasks t
    where t.status in ('open', 'in_progress')
      and (:project::text is null or t.project = :project) and (:plan::text is null or t.plan = :plan)
      and (:pattern::text = '' or t.title ilike :pattern or t.plan collate "default" ilike :pattern or t.id ilike :pattern or t.body ilike :pattern)
  ),
  counted as (
    select bucket, count(*)::int as matching from matching group by bucket
  ),
  page as (
    select id, bucket, created_at from matching
    where :bucket::text = '' or bucket = :bucket
    order by array_position(array['ready', 'in_progress', 'blocked'], bucket), created_at desc, id desc
    limit :most::int offset :skip::int
  )
select p.id, c.bucket, c.matching
from counted c left join page p using (bucket)
order by array_position(array['ready', 'in_progress', 'blocked'], c.bucket), p.created_at desc, p.id desc
