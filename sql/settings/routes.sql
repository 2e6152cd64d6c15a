-- Which places lead to which project, by place, and is that one registered? With :unbound only those whose project is
-- not. :places and :mapped are those of the configuration file; a stored one of the same place replaces one of them.
with
  placed as (
    select place, project from repos
    union all
    select c.place, c.project from unnest(:places::text[], :mapped::text[]) as c (place, project)
    where not exists (select from repos r where r.place = c.place)
  )
select r.place, r.project, p.slug is not null as registered, count(*) over ()::int as places
from placed r left join projects p on p.slug = r.project
where not :unbound or p.slug is null
order by r.place
limit :most
