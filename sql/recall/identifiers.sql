-- Which items have this identifier? By the whole id, by the whole name, by how the id begins, by a part of the
-- name: in this order, and within it the ones changed last first.
with
  named as (
    select 'memory' as kind, id, name, project, updated_at from memories where invalid_at is null
    union all
    select 'note', id, slug, project, updated_at from notes
    union all
    select 'task', id, title, project, updated_at from tasks
    union all
    select 'session', id, name, project, updated_at from sessions
    union all
    select 'trial', id, title, project, created_at from trials
  )
select kind, id,
  case
    when id = upper(:query) then 0
    when lower(name) = lower(:query) then 1
    when :beginning <> '' and starts_with(id, :beginning) then 2
    else 3
  end as tier
from named
where kind = any (:kinds::text[]) and (:everywhere::boolean or project = any (:searched::text[]))
  and (id = upper(:query) or (:beginning <> '' and starts_with(id, :beginning)) or name ilike :pattern)
order by tier, updated_at desc, id
limit :depth
