-- Which plans are called so, by slug or by the title of their note? The exact slug first, then those whose slug
-- has it, and within that the ones moved last. A plan is the notes and tasks of a project that share a slug; its
-- note is the one marked as a capture, else the earliest without planning runs.
with
  noted as (
    select n.project, t.plan, max(n.updated_at) as moved,
      (array_agg(n.id order by n.tags @> '{cc-plan}' desc, n.created_at, n.id)
        filter (where not n.tags @> '{agent-cache}'))[1] as note
    from notes n,
      lateral (select distinct substr(tag, 6) as plan from unnest(n.tags) as tag where tag like 'plan:_%') t
    where cardinality(n.tags) > 0 and (:everywhere::boolean or n.project = any (:searched::text[]))
    group by n.project, t.plan
  ),
  stepped as (
    select t.project, t.plan, max(t.updated_at) as moved, count(*)::int as steps,
      count(*) filter (where t.status in ('done', 'dropped'))::int as done
    from tasks t
    where t.plan <> '' and (:everywhere::boolean or t.project = any (:searched::text[]))
    group by t.project, t.plan
  )
select s.project, s.plan, s.note, p.title, coalesce(p.description, '') as description,
  coalesce(p.favorite, false) as favorite, s.moved, s.steps, s.done
from (
  select project, plan, n.note, greatest(n.moved, s.moved) as moved, coalesce(s.steps, 0) as steps,
    coalesce(s.done, 0) as done
  from noted n full join stepped s using (project, plan)
) s
left join notes p on p.id = s.note
where s.plan collate "default" ilike :pattern or p.title ilike :pattern
order by lower(s.plan collate "default") = lower(:query) desc, s.plan collate "default" ilike :pattern desc, s.moved desc, s.project, s.plan
limit :most::int
