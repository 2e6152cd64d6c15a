-- Which active memories were put before agents most often, and which are asked for most? Counted over
-- what agents did who work where the caller may read. Of two alike the older first.
with
  fenced as materialized (
    select array(select slug from projects where isolation <> 'open' and slug <> :caller) as slugs
  ),
  used as materialized (
    select u.id, coalesce(sum(u.times) filter (where u.surface <> 'read'), 0)::int as count,
      sum(u.raw * demand_left(now.at - u.as_of)) as raw
    from (select loam_now() as at) now, item_uses u
    where u.kind = 'memory'
      and case when :sealed::boolean then u.project = :caller else u.project <> all ((select slugs from fenced)::text[]) end
    group by u.id
  ),
  scored as materialized (
    select m.id, m.name, u.count, round((u.raw / (u.raw + 4))::numeric, 2)::float8 as score
    from used u join memories m on m.id = u.id and m.invalid_at is null
    where case when :sealed::boolean then m.project = :caller else m.project <> all ((select slugs from fenced)::text[]) end
  )
(select 'injected' as by, id, name, count, score from scored where count > 0 order by count desc, id limit :most)
union all
(select 'utility', id, name, count, score from scored where score > 0 order by score desc, id limit :most)
