-- Is one of :blockers among what waits for :asker, :asker included? Looks at :most of them at most, the
-- nearest first, and says how many those were. Through the index step by step, however many there are.
with recursive downstream (id) as (
  select :asker::text collate "C"
  union
  select d.task_id from downstream u cross join lateral (
    select task_id from task_deps where depends_on = u.id offset 0
  ) d
), seen as (select id from downstream limit :most::int)
select count(*)::int as seen, coalesce(bool_or(id = any (:blockers::text[])), false) as met from seen
