-- What did the sessions of :searched find, the latest first? Ended sessions count. Of the silent ones only
-- those of a client count, since no agent ends them.
select s.name, s.project, left(s.findings, 4000) as findings,
  extract(epoch from loam_now() - s.updated_at)::float8 as age
from sessions s
where s.project = any (:searched::text[])
  and (s.status = 'completed' or s.status = 'expired' and s.ambient)
  and s.findings <> '' and s.findings <> :blank and s.findings ~ '\S'
  and (:days::int = 0 or s.updated_at >= loam_now() - make_interval(days => :days::int))
order by s.updated_at desc, s.id desc
limit :most::int
