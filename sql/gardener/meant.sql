-- Which active memories may be meant by :words in a request? By id, wherever it lies; by a part of it; by name in the
-- caller's own project and then in the global one, or anywhere when :all, or in :at alone; else by likeness of the name,
-- or of :telling words to a part of the description. The surest first: `rank` tells how it was found, and `likeness` how
-- alike they are.
with
  within as materialized (
    select m.id, m.name, m.project, m.kind, m.description, m.updated_at, m.uncut
    from memories m
    where m.invalid_at is null
      and case when :at::text is not null then m.project = :at
        else :all::boolean or m.project = any(:searched::text[]) or m.id = upper(:words) end
      and fence_allows('read', :caller, :level, m.project,
        (select p.isolation from projects p where p.slug = m.project))
  ),
  named as (
    select w.*, 1.0::float8 as likeness, case
        when w.id = upper(:words) then 0
        when :prefix::text <> '' and w.id like upper(:prefix) || '%' then 1
        when w.project = :project or :all::boolean or :at::text is not null then 2
        else 3 end as rank
    from within w
    where w.id = upper(:words)
      or :prefix <> '' and w.id like upper(:prefix) || '%'
      or w.name = :slug
      or w.name = :cut and not w.uncut
  ),
  likenesses as (
    select w.*, l.likeness, case when l.likeness >= :sure then 4 else 5 end as rank
    from within w,
      lateral (
        select greatest(similarity(w.name, :slug),
          case when :telling::boolean then strict_word_similarity(:words, w.description) else 0 end)::float8 as likeness
      ) l
    where not exists (select from named)
      and (l.likeness >= :floor or word_similarity(:words, w.description) >= :sure)
    order by likeness desc, w.id
    limit 5
  )
select id, name, project, kind, description, updated_at, rank, likeness from named
union all
select id, name, project, kind, description, updated_at, rank, likeness from likenesses
order by rank, likeness desc, updated_at desc, id
limit 10
