-- Of the sessions that began in :project since :since, and of those from :before up to then: how many are there, and
-- how many left findings, a memory, a note or a trial? Without a beginning all of them.
select
  count(*) filter (where s.created_at >= b.since)::int as total,
  count(*) filter (where s.created_at >= b.since and k.something)::int as covered,
  count(*) filter (where s.created_at < b.since)::int as total_before,
  count(*) filter (where s.created_at < b.since and k.something)::int as covered_before
from (select coalesce(:since::timestamptz, '-infinity') as since) b
cross join sessions s
join lateral (
  select findings or memories + notes + trials > 0 as something from session_kept where session_id = s.id
) k on true
where s.project = :project and s.updated_at >= coalesce(:before::timestamptz, '-infinity')
  and s.created_at >= coalesce(:before::timestamptz, '-infinity')
