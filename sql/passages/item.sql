-- What does an item say at this moment? For the passages that are indexed after the write.
select 'note' as kind, n.id, n.project, true as active, n.title, n.description, n.body as text, false as whole
from notes n
where :kind = 'note' and n.id = :id
