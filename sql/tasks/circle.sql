-- Would :asker wait for itself if it waited for :blockers? True when it is among what they wait for,
-- they themselves included; false when all of that was looked at, or all that waits for :asker. Looks
-- at :most on either side, the nearest first and the other side only when the first was too large for
-- an answer; null when both were. Through the index step by step, however many there are.
with recursive
  upstream (id) as (
    select unnest(:blockers::text[]) collate "C"
    union
    select d.depends_on from upstream u cross join lateral (
      select depends_on from task_deps where task_id = u.id offset 0
    ) d
  ),
  downstream (id) as (
    select :asker::text collate "C"
    union
    select d.task_id from downstream u cross join lateral (
      select task_id from task_deps where depends_on = u.id offset 0
    ) d
  ),
  above as (select id from upstream limit :most::int),
  below as (select id from downstream limit :most::int)
select case
  when exists (select from above where id = :asker) then true
  when (select count(*) from above) < :most then false
  when exists (select from below where id = any (:blockers::text[])) then true
  when (select count(*) from below) < :most then false
end as closes
