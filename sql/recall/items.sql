-- What does a result show of each item, and how much demand has the item? An item that is gone, or outside
-- of the projects searched, gives no row. `age` is in seconds.
select f.kind, f.id, h.name, h.title, h.description, h.project, h.favorite, h.status, h.changed_at,
  extract(epoch from now.at - h.changed_at)::float8 as age, utility(s, now.at) as utility
from (select loam_now() as at) now,
  unnest(:kinds::text[], :ids::text[]) as f (kind, id)
  join lateral (
    select m.name, m.name as title, m.description, m.project, m.favorite, '' as status, m.updated_at as changed_at
    from memories m where f.kind = 'memory' and m.id = f.id
    union all
    select n.slug, n.title, n.description, n.project, n.favorite, '', n.updated_at
    from notes n where f.kind = 'note' and n.id = f.id
    union all
    select t.plan, t.title, left(t.body, 1000), t.project, t.favorite, t.status, t.updated_at
    from tasks t where f.kind = 'task' and t.id = f.id
    union all
    select s.name, s.name, left(s.findings, 1000), s.project, false, s.status, s.updated_at
    from sessions s where f.kind = 'session' and s.id = f.id
    union all
    select r.lab, r.title, left(r.actual, 1000), r.project, r.favorite, r.outcome, r.created_at
    from trials r where f.kind = 'trial' and r.id = f.id
  ) h on :everywhere::boolean or h.project = any (:searched::text[])
    or f.kind = 'memory' and h.project = any (:inherited::text[])
  left join item_stats s on s.kind = f.kind and s.id = f.id
