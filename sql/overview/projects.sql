-- Which projects had a session last, :most of them, and what is in them? The global scope is none.
with
  known as (
    select p.slug, (select max(s.updated_at) from sessions s where s.project = p.slug) as last_active from projects p
  ),
  shown as (
    select * from known order by last_active desc nulls last, slug limit :most
  )
select k.slug, k.last_active,
  (select count(*) from sessions s where s.project = k.slug)::int as sessions,
  (select count(*) from sessions s where s.project = k.slug and s.status = 'active'
    and s.updated_at >= loam_now() - coalesce(s.idle_minutes, :idle) * interval '1 minute')::int as live,
  (select coalesce(sum(t.ready + t.blocked + t.in_progress), 0) from task_totals t where t.project = k.slug)::int as open_tasks
from shown k
order by k.last_active desc nulls last, k.slug
