-- Which captured plans wait for an approval? After :days days a presented plan is left alone, as in the briefing;
-- 0 is never.
select n.id, n.title, n.project, n.updated_at as at,
  (select substr(tag, 6) from unnest(n.tags) tag where tag like 'plan:_%' limit 1) as plan
from notes n
where n.tags @> '{cc-plan,plan-status:presented}'
  and (:days::int = 0 or n.updated_at > loam_now() - :days::int * interval '1 day')
order by n.updated_at desc, n.id
