-- Which memories mean nearly what this one means? Those of its project and the global ones; of a global one those of
-- every open project. The signs of the vectors choose, and the vectors themselves decide.
with own as materialized (
  select v.e, v.b, v.project, p.slug is not null and not fence_allows('read', '', 'open', p.slug, p.isolation) as fenced
  from vectors v left join projects p on p.number = v.project
  where v.kind = 'memory' and v.id = :id and v.model = :model::smallint
  limit 1
)
select near.id
from own, lateral (
  select v.id, v.e from vectors v
  where v.model = :model::smallint and v.active and v.kind = 'memory' and v.id <> :id
    and v.project = any (
      case
        when own.project = 0 then array(select number from projects where fence_allows('read', '', 'open', slug, isolation)) || 0
        when own.fenced then array[own.project]
        else array[own.project, 0]
      end
    )
  order by v.b <~> own.b
  limit :near
) near
where 1 - (near.e <=> own.e) >= :floor
order by near.e <=> own.e, near.id
limit :most
