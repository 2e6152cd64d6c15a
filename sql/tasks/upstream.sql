-- Is :asker among what :blockers wait for, they themselves included? Looks at :most of them at most, the
-- nearest first, and says how many those were. Through the index step by step, however many there are.
with recursive upstream (id) as (
  select unnest(:blockers::text[]) collate "C"
  union
  select d.depends_on from upstream u cross join lateral (
    select depends_on from task_deps where task_id = u.id offset 0
  ) d
), seen as (select id from upstream limit :most::int)
select count(*)::int as seen, coalesce(bool_or(id = :asker), false) as met from seen
