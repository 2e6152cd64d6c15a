-- What may be moved out of a project: its own active memories, newest first, at most :most, with how many there are.
select m.id, m.name, m.project, m.kind, m.description, m.tags, left(m.body, :length) as body,
  (count(*) over ())::int as found
from memories m
where m.invalid_at is null and m.project = :source
  and fence_allows('write', :caller, :level, m.project,
    (select p.isolation from projects p where p.slug = m.project))
order by m.updated_at desc, m.id
limit :most
