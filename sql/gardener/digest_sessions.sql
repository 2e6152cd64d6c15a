-- What did the sessions of :slug find that ended since :since and before :until? The latest first; `found` is how many
-- there are, and `newest` when the latest was last heard.
with
  ended as (
    select s.id, s.updated_at, (count(*) over ())::int as found, max(s.updated_at) over () as newest
    from sessions s
    where s.project = :slug and s.status = 'completed' and s.findings <> '' and s.findings <> :blank
      and s.updated_at >= :since and s.updated_at < :until
      and (:everywhere::boolean or fence_allows('read', :caller, :level, :slug,
        (select p.isolation from projects p where p.slug = :slug)))
    order by s.updated_at desc, s.id desc
    limit :most
  )
select s.name, e.updated_at as at, left(s.findings, :longest) as findings, e.found, e.newest
from ended e join sessions s on s.id = e.id
order by e.updated_at desc, e.id desc
