-- What does the session work on? Its claims with the progress of their plans, its own plan, and its
-- findings. A title that :project may not read stays behind its fence, and findings from elsewhere stay there.
with
  claims as (
    select t.id, t.plan,
      case when fence_allows('read', :project, :level, t.project, p.isolation) then t.title end as title,
      coalesce(t.lease_expires_at > loam_now(), true) as held,
      (select count(*)::int from tasks x where x.project = t.project and x.plan = t.plan and t.plan <> '') as steps,
      (
        select count(*)::int from tasks x
        where x.project = t.project and x.plan = t.plan and t.plan <> '' and x.status in ('done', 'dropped')
      ) as done,
      row_number() over (order by t.updated_at desc, t.id) as place
    from tasks t left join projects p on p.slug = t.project
    where t.claimed_by = :session and t.status = 'in_progress'
  )
select case when s.project = :project and s.findings <> :blank then left(s.findings, 4000) else '' end as findings,
  case when s.project = :project then w.plan end as plan, w.status as plan_status,
  (select coalesce(jsonb_agg(to_jsonb(c) order by c.place) filter (where c.place <= 10), '[]') from claims c) as claims,
  (select count(*)::int from claims) as claimed
from sessions s left join session_plans w on w.session_id = s.id
where s.id = :session
