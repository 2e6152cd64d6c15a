-- Which memories of the projects :searched does a briefing show beside its own, the newest first? Rules and
-- stages stay in their own projects.
select m.id, m.project, m.name, m.kind, extract(epoch from loam_now() - m.updated_at)::float8 as age, m.description
from memories m
where m.invalid_at is null and m.project = any (:searched::text[]) and m.kind not in ('constraint', 'stage')
  and (:days::int = 0 or m.updated_at >= loam_now() - make_interval(days => :days::int))
order by m.updated_at desc, m.id desc
limit :most::int
