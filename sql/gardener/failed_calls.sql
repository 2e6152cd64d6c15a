-- Which calls of tools failed in the last days? A page of it, newest first. A call that no session made is put where it
-- probably came from, and not `told` when a fence stands there.
select e.id, e.ts as at, coalesce(e.project, s.project, '') as project, e.session, e.payload ->> 'tool' as name,
  left(e.payload ->> 'error', :longest::int) as error, e.payload ->> 'refused' as refused,
  e.ts > (select loam_now() - :fresh * interval '1 day') as fresh, e.payload ? 'args' as "hasArgs",
  fence_allows('read', coalesce(e.project, ''), coalesce(here.isolation, 'open'), coalesce(s.project, e.project, ''),
    home.isolation) as told
from (
    select id, ts, project, payload, coalesce(session_id, payload ->> 'probable_session', '') as session
    from events
    where transport and kind = 'tool.call' and payload @> '{"is_error": true}'
      and ts > (select loam_now() - :days * interval '1 day') and ts <= coalesce(:until::timestamptz, 'infinity')
      and (ts, id) < (coalesce(:until::timestamptz, 'infinity'), :until_id)
    order by ts desc, id desc
    limit :most
  ) e
  left join sessions s on s.id = e.session
  left join projects home on home.slug = s.project
  left join projects here on here.slug = e.project
order by e.ts desc, e.id desc
