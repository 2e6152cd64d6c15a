-- What do these :sessions carry? Tasks in progress whose lease runs, the one that ends first before the others;
-- `left` in seconds.
select id, title, project, plan, claimed_by as session, lease_expires_at as lease,
  extract(epoch from lease_expires_at - loam_now())::float8 as left
from tasks
where claimed_by = any (:sessions::text[]) and status = 'in_progress' and lease_expires_at > loam_now()
order by lease_expires_at, id
