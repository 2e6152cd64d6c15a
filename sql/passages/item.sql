-- What does an item say at this moment? For the passages that are indexed after the write.
select 'note' as kind, n.id, n.project, true as active, n.title, n.description, n.body as text, false as whole
from notes n
where :kind = 'note' and n.id = :id
union all
select 'task', t.id, t.project, true, t.title, t.plan, t.body, true
from tasks t
where :kind = 'task' and t.id = :id
union all
select 'memory', m.id, m.project, m.invalid_at is null, m.name, m.description, m.body, true
from memories m
where :kind = 'memory' and m.id = :id
union all
select 'session', s.id, s.project, true, s.name, '', s.findings, true
from sessions s
where :kind = 'session' and s.id = :id
union all
select 'trial', r.id, r.project, true, r.title, r.lab || ' ' || r.outcome, concat_ws(chr(10), r.changes, r.expected, r.actual), true
from trials r
where :kind = 'trial' and r.id = :id
