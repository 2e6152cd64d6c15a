-- What do these hits say where they were found, and what became of them since? Of each the beginning of its
-- passage of the number in :chunks, at most :most characters; without a number, or when the passage is gone,
-- that of its text. A memory that replaced one is named where the caller may read it.
select f.id, substr(h.body, coalesce(p.place, 0) + 1, least(coalesce(p.size, :most::int), :most::int)) as passage,
  h.ended, h.replaced, n.name as next_name, n.project as next_project
from unnest(:kinds::text[], :ids::text[], :chunks::int[]) as f (kind, id, chunk)
  join lateral (
    select m.body, m.project, m.invalid_at is not null as ended, m.superseded_by <> '' as replaced, m.superseded_by as next
    from memories m where f.kind = 'memory' and m.id = f.id
    union all
    select n.body, n.project, false, false, '' from notes n where f.kind = 'note' and n.id = f.id
    union all
    select t.body, t.project, false, false, '' from tasks t where f.kind = 'task' and t.id = f.id
    union all
    select s.findings, s.project, false, false, '' from sessions s where f.kind = 'session' and s.id = f.id
    union all
    select concat_ws(chr(10), r.changes, r.expected, r.actual), r.project, false, false, ''
    from trials r where f.kind = 'trial' and r.id = f.id
  ) h on h.project = any (:searched::text[]) or f.kind = 'memory' and h.project = any (:inherited::text[])
  left join passages p on p.kind = f.kind and p.id = f.id and p.chunk = f.chunk
  left join lateral (
    select m.name, m.project from memories m
    where h.next <> '' and m.id = h.next and fence_allows('read', :caller, :level, m.project,
      (select isolation from projects where slug = m.project))
  ) n on true
