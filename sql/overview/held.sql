-- Which claims need somebody: their lease is over, or it runs and their holder was not heard for 15 minutes?
select t.id, t.title, t.project, t.plan, t.claimed_by as holder, coalesce(s.name, '') as holder_name,
  t.lease_expires_at <= loam_now() as lapsed,
  case when t.lease_expires_at <= loam_now() then t.lease_expires_at
    else greatest(s.updated_at + interval '15 minutes', t.updated_at) end as at,
  extract(epoch from loam_now() - coalesce(s.updated_at, t.updated_at))::float8 as silent
from tasks t left join sessions s on s.id = t.claimed_by
where t.status = 'in_progress' and t.claimed_by <> '' and t.lease_expires_at is not null
  and (t.lease_expires_at <= loam_now() or s.id is null or s.status <> 'active'
    or s.updated_at <= loam_now() - interval '15 minutes')
order by at desc, t.id
