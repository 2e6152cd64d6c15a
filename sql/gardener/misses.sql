-- What did agents ask of recall in the last days without finding anything? A page of it, newest first. Not `told` is what
-- those of the project that was asked may not read: the question of a session that works behind another fence.
select e.id, e.ts as at, coalesce(e.project, '') as project, e.session, e.payload ->> 'query' as query,
  fence_allows('read', coalesce(e.project, ''), coalesce(here.isolation, 'open'), coalesce(s.project, e.project, ''),
    home.isolation) as told
from (
    select id, ts, project, payload, coalesce(session_id, payload ->> 'probable_session', '') as session
    from events
    where transport and kind = 'recall.miss'
      and ts > (select loam_now() - :days * interval '1 day') and ts <= coalesce(:until::timestamptz, 'infinity')
      and (ts, id) < (coalesce(:until::timestamptz, 'infinity'), :until_id)
    order by ts desc, id desc
    limit :most
  ) e
  left join sessions s on s.id = e.session
  left join projects home on home.slug = s.project
  left join projects here on here.slug = e.project
order by e.ts desc, e.id desc
