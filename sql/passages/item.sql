-- What does an item say at this moment? For the passages that are indexed after the write.
select 'note' as kind, n.id, n.project, true as active, n.title, n.description, n.body as text, false as whole
from notes n
where :kind = 'note' and n.id = :id
union all
select 'task', t.id, t.project, true, t.title, t.plan, t.body, true
from tasks t
where :kind = 'task' and t.id = :id
