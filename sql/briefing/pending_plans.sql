-- Which captured plans of :project are neither approved nor abandoned, the latest first? A note captured from
-- a web page is no plan of ours, whatever its tags.
select coalesce((select substr(tag, 6) from unnest(n.tags) as tag where tag like 'plan:%' limit 1), n.slug) as plan,
  n.title, s.status, extract(epoch from loam_now() - n.updated_at)::float8 as age
from notes n,
  lateral (
    select substr(tag, 13) as status from unnest(n.tags) as tag where tag like 'plan-status:%' limit 1
  ) s
where n.project = :project and n.tags @> '{cc-plan}' and n.source_url = ''
  and s.status in ('draft', 'presented')
  and (:days::int = 0 or n.updated_at >= loam_now() - make_interval(days => :days::int))
order by n.updated_at desc, n.id desc
limit :most::int
