-- Which items are called so, or hold these characters? By the whole id, by the whole name, by how the id begins,
-- by a part of the name, by a part of the text: in this order, and within it the ones changed last first, at most
-- :depth of each kind. The texts of memories and notes are left to the search by words. What is believed no
-- longer is found by its id alone. Of sessions see named-sessions.sql.
with
  named as (
    select 'memory' as kind, id, name, project, updated_at, invalid_at is null as believed from memories
    union all
    select 'note', id, slug, project, updated_at, true from notes
    union all
    select 'task', id, title, project, updated_at, true from tasks
    union all
    select 'trial', id, title, project, created_at, true from trials
  ),
  called as (
    select kind, id, updated_at,
      case
        when id = upper(:query) then 0
        when believed and lower(name collate "default") = lower(:query) then 1
        when :beginning <> '' and starts_with(id, :beginning) then 2
        else 3
      end as tier
    from named
    where kind = any (:kinds::text[]) and (:everywhere::boolean or project = any (:searched::text[]))
      -- Plain characters are looked for without the rules of a language, in half the time.
      and (id = upper(:query) or :beginning <> '' and starts_with(id, :beginning) or believed
        and case when :query ~ '^[ -~]*$' then position(lower(:query collate "C") in lower(name collate "C")) > 0
          else name collate "default" ilike :pattern end)
  ),
  -- Each by itself: of characters that stand nearly everywhere the newest rows are read and no others, and those that
  -- stand nearly nowhere are found by the indexes of what is over.
  holding as (
    (
      select 'task' as kind, id, updated_at, 4 as tier from tasks
      where 'task' = any (:kinds::text[]) and (:everywhere::boolean or project = any (:searched::text[]))
        and status in ('done', 'dropped') and body ilike :pattern
      order by updated_at desc, id
      limit :depth
    )
    union all
    (
      select 'task', id, updated_at, 4 from tasks
      where 'task' = any (:kinds::text[]) and (:everywhere::boolean or project = any (:searched::text[]))
        and status in ('open', 'in_progress')
        and case when :query ~ '^[ -~]*$' then position(lower(:query collate "C") in lower(body collate "C")) > 0
          else body ilike :pattern end
      order by updated_at desc, id
      limit :depth
    )
    union all
    (
      select 'trial', id, created_at, 4 from trials
      where 'trial' = any (:kinds::text[]) and (:everywhere::boolean or project = any (:searched::text[]))
        and (lab collate "default" ilike :pattern or changes ilike :pattern or expected ilike :pattern or actual ilike :pattern)
      order by created_at desc, id
      limit :depth
    )
  ),
  met as (
    select kind, id, max(updated_at) as updated_at, min(tier) as tier
    from (select * from called union all select * from holding) each
    group by kind, id
  ),
  placed as (
    select *, row_number() over (partition by kind order by tier, updated_at desc, id) as nth from met
  )
select kind, id, tier
from placed
where nth <= :depth
order by tier, updated_at desc, id
