-- What vectors do the next :limit items after (:kind, :id) have? How many of the active ones there are, how many have
-- a passage without any vector, and how many one whose vector is another model's than :model; how many passages they have,
-- and how many of these :model has not read; of each model its items,
-- the memories and notes among them, its passages and when the last was made. Tells the last item looked at.
with
  next as materialized (
    select distinct p.kind, p.id
    from passages p
    where (p.kind, p.id) > (:kind, :id)
    order by p.kind, p.id
    limit :limit
  ),
  found as materialized (
    select p.kind, p.id, p.chunk, p.active, v.model, v.made_at
    from next n
      join passages p on p.kind = n.kind and p.id = n.id
      left join (
        vectors v join models m on m.number = v.model
          and m.learned = coalesce((select learned from models where number = :model::smallint), m.learned)
      ) on v.kind = p.kind and v.id = p.id and v.chunk = p.chunk
  ),
  each as (
    select kind, id, bool_or(model is not null) as has_any, coalesce(bool_or(model = :model::smallint), false) as has_own
    from found
    where active
    group by kind, id, chunk
  ),
  items as (
    select bool_or(not has_any) as missing, bool_or(has_any and not has_own) as stale
    from each
    group by kind, id
  ),
  models as (
    select model as number, count(distinct (kind, id))::int as count,
      count(distinct id) filter (where kind = 'memory')::int as memories,
      count(distinct id) filter (where kind = 'note')::int as notes,
      count(*)::int as passages, max(made_at) as updated
    from found
    where model is not null
    group by model
  )
select
  (select count(*)::int from items) as total,
  (select count(*)::int from items where missing) as missing,
  (select count(*)::int from items where stale) as stale,
  (select count(*)::int from each) as passages,
  (select count(*)::int from each where not has_own) as unread,
  (select coalesce(jsonb_agg(to_jsonb(m)), '[]') from models m) as models,
  last.kind, last.id
from (select kind, id from next order by kind desc, id desc limit 1) last
