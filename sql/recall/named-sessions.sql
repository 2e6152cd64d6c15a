-- Which sessions are called so, or hold these characters? By the whole id, by the whole handle, by how the id begins, by a
-- part of the handle, by what they are called or found: in this order, and within it the ones changed last first, at most
-- :depth. There are many: of characters that stand nearly everywhere the newest rows are read and no others, and those
-- that stand nearly nowhere are found by the indexes of what is over. That of handles knows the case of English letters
-- alone, so any letter may stand there for another one, and then they are compared.
with
  met as (
    select id, updated_at,
      case when id = upper(:query) then 0 when lower(name collate "default") = lower(:query) then 1 else 2 end as tier
    from sessions
    where (:everywhere::boolean or project = any (:searched::text[]))
      and (id = upper(:query) or name in (:query, lower(:query))
        or :beginning <> '' and id between :beginning and :beginning || '~')
    union all
    (
      select id, updated_at, 3 from sessions
      where (:everywhere::boolean or project = any (:searched::text[]))
        and status <> 'active'
        -- No index helps with one or two characters.
        and case when length(:query) < 3 and :query ~ '^[ -~]*$'
          then position(lower(:query collate "C") in lower(name collate "C")) > 0
          else name ilike regexp_replace(:pattern, '[^ -~]', '_', 'g') and name collate "default" ilike :pattern end
      order by updated_at desc, id
      limit :depth
    )
    union all
    (
      select id, updated_at, 3 from sessions
      where (:everywhere::boolean or project = any (:searched::text[]))
        and status = 'active' and name collate "default" ilike :pattern
      order by updated_at desc, id
      limit :depth
    )
    union all
    (
      select id, updated_at, 4 from sessions
      where (:everywhere::boolean or project = any (:searched::text[]))
        and status <> 'active'
        and case when length(:query) < 3 and :query ~ '^[ -~]*$'
          then case when :query ~ '[A-Za-z]' then position(lower(:query collate "C") in lower(called collate "C")) > 0
            or position(lower(:query collate "C") in lower(findings collate "C")) > 0
            else called like :pattern or findings like :pattern end
          else called ilike :pattern or findings ilike :pattern end
      order by updated_at desc, id
      limit :depth
    )
    union all
    (
      select id, updated_at, 4 from sessions
      where (:everywhere::boolean or project = any (:searched::text[]))
        and status = 'active' and (called ilike :pattern or findings ilike :pattern)
      order by updated_at desc, id
      limit :depth
    )
  )
select 'session' as kind, id, min(tier) as tier
from met
group by id
order by min(tier), max(updated_at) desc, id
limit :depth
