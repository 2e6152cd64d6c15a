-- What did the sessions of :searched find, the latest first? A client's session counts in any state, as
-- each of its turns leaves what was found so far, and others when they have ended. :own is the reader's.
select s.name, s.project, left(s.findings, 4000) as findings,
  extract(epoch from loam_now() - s.updated_at)::float8 as age
from sessions s
where s.project = any (:searched::text[])
  and (s.status = 'completed' or s.ambient)
  and s.id <> :own::text
  and not exists (
    select from sessions o
    where o.id = :own and o.client_session_id <> ''
      and o.client_session_id = s.client_session_id and o.external_client = s.external_client
  )
  and s.findings <> '' and s.findings <> :blank and s.findings ~ '\S'
  and (:days::int = 0 or s.updated_at >= loam_now() - make_interval(days => :days::int))
order by s.updated_at desc, s.id desc
limit :most::int
