-- What do these items say where they were found? Of each the beginning of its passage of the number in :chunks,
-- at most :most characters; without a number, or when the passage is gone, that of its text.
select f.kind, f.id, substr(h.body, coalesce(p.place, 0) + 1, least(coalesce(p.size, :most::int), :most::int)) as passage
from unnest(:kinds::text[], :ids::text[], :chunks::int[]) as f (kind, id, chunk)
  join lateral (
    select m.body, m.project from memories m where f.kind = 'memory' and m.id = f.id
    union all
    select n.body, n.project from notes n where f.kind = 'note' and n.id = f.id
    union all
    select t.body, t.project from tasks t where f.kind = 'task' and t.id = f.id
    union all
    select s.findings, s.project from sessions s where f.kind = 'session' and s.id = f.id
    union all
    select concat_ws(chr(10), r.lab, r.changes, r.expected, r.actual), r.project
    from trials r where f.kind = 'trial' and r.id = f.id
  ) h on :everywhere::boolean or h.project = any (:searched::text[])
  left join passages p on p.kind = f.kind and p.id = f.id and p.chunk = f.chunk
