-- Which projects may be in a family: those of :levels that are in use, and whoever is :chosen. Those first.
select slug, name, retired_at is not null as retired, count(*) over ()::int as projects
from projects
where isolation = any (:levels::text[]) and retired_at is null or slug = any (:chosen::text[])
order by slug = any (:chosen::text[]) desc, slug
limit :most
