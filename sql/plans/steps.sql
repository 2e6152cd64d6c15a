-- What are the steps of a plan, in the order of their creation? `holder` is the readable name of the session
-- that works on a step. `waits_for` are the tasks that must be closed first.
select t.id, t.title, t.status, t.favorite, t.updated_at as moved,
  coalesce(h.name, nullif(t.claimed_by, '')) as holder,
  case when t.status = 'in_progress' then extract(epoch from t.lease_expires_at - loam_now())::float8 end as lease,
  array(
    select b.id from task_deps d join tasks b on b.id = d.depends_on
    where d.task_id = t.id and b.status in ('open', 'in_progress')
    order by b.created_at, b.id
  ) as waits_for
from tasks t
left join sessions h on h.id = t.claimed_by
where t.project = :project and t.plan = :plan
order by t.created_at, t.id
limit :most::int
