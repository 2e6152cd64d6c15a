-- Which tasks are in progress, in :scope or anywhere, and carried by none of the :live sessions? Nobody claimed
-- it, its holder is silent, or its lease is over, `left` seconds ago. The last one moved first; `total` counts
-- all of them.
select t.id, t.title, t.project, t.plan, t.claimed_by as holder_id, s.name as holder,
  coalesce((select nullif(first_line(c.title), '') from tasks c where c.id = s.claimed_task), s.called) as called,
  t.lease_expires_at as lease, extract(epoch from t.lease_expires_at - loam_now())::float8 as left,
  t.updated_at as since, count(*) over ()::int as total
from tasks t
left join sessions s on s.id = t.claimed_by
where t.status = 'in_progress' and (:scope::text is null or t.project = :scope)
  and (t.claimed_by <> all (:live::text[]) or t.lease_expires_at is null or t.lease_expires_at <= loam_now())
order by t.updated_at desc, t.id
limit :most::int
