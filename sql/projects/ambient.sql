-- Where do the agents work whose clients speak through hooks only? One row per project with a live
-- ambient session: its level, and the session heard last.
select distinct on (s.project)
  s.project, coalesce(p.isolation, 'open') as isolation, s.id as session, s.model
from sessions s
left join projects p on p.slug = s.project
where s.status = 'active' and s.ambient and s.updated_at > loam_now() - interval '6 hours'
order by s.project, s.updated_at desc, s.id desc
