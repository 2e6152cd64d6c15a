-- What does the agent of the session work on? Its claims with the progress of their plans, its own plan, and its
-- findings. Its plan is one whose note lies in :project. An agent may have begun named sessions beside the one
-- that its client keeps: they share the client's identity, and count as far as :project may read where they are. A
-- title that :project may not read stays behind its fence, and findings from elsewhere stay there. What an agent
-- wrote down comes before the last words of its client.
with
  me as (select id, external_client, client_session_id from sessions where id = :session),
  own as (
    select s.id, s.name, s.project, s.status, s.updated_at, left(s.findings, 4000) as findings,
      s.metadata ? 'harvested' as harvested
    from (
        select id from me
        union
        select o.id from me, sessions o
        where me.client_session_id <> ''
          and o.client_session_id = me.client_session_id and o.external_client = me.external_client
      ) i join sessions s on s.id = i.id left join projects p on p.slug = s.project
    where s.id = :session or fence_allows('read', :project, :level, s.project, p.isolation)
  ),
  claims as (
    select t.id, t.plan, case when own.id <> :session then own.name end as by,
      case when fence_allows('read', :project, :level, t.project, p.isolation) then t.title end as title,
      coalesce(t.lease_expires_at > loam_now(), true) as held,
      (select count(*)::int from tasks x where x.project = t.project and x.plan = t.plan and t.plan <> '') as steps,
      (
        select count(*)::int from tasks x
        where x.project = t.project and x.plan = t.plan and t.plan <> '' and x.status in ('done', 'dropped')
      ) as done,
      row_number() over (order by t.updated_at desc, t.id) as place
    from own join tasks t on t.claimed_by = own.id left join projects p on p.slug = t.project
    where t.status = 'in_progress'
  ),
  planned as (
    select w.plan, w.status
    from own join session_plans w on w.session_id = own.id
    where own.project = :project and exists (
      select from notes n where n.project = :project and n.tags @> array['cc-plan', 'plan:' || w.plan]
    )
    order by own.id = :session desc, own.updated_at desc, own.id desc
    limit 1
  ),
  found as (
    select case when own.id <> :session then own.name end as by, own.findings, own.harvested,
      bool_or(not own.harvested) over () as told,
      row_number() over (
        order by own.id = :session desc, own.status = 'active' desc, own.updated_at desc, own.id desc
      ) as place
    from own
    where own.project = :project and own.findings ~ '\S' and own.findings <> :blank
  )
select
  (
    select coalesce(jsonb_agg(jsonb_build_object('by', f.by, 'text', f.findings) order by f.place), '[]')
    from (select * from found where not (harvested and told) order by place limit 3) f
  ) as findings,
  (select plan from planned) as plan, (select status from planned) as plan_status,
  (select coalesce(jsonb_agg(to_jsonb(c) order by c.place) filter (where c.place <= 10), '[]') from claims c) as claims,
  (select count(*)::int from claims) as claimed
