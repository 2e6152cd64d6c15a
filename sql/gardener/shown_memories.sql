-- Which active memories may a chat model be shown? Of :source alone, or of what the caller's scope searches, or of every
-- project when :all: those that the caller may read, newest change first. `found` says how many there are of them.
select m.id, m.name, m.project, m.kind, m.description, (count(*) over ())::int as found
from memories m
where m.invalid_at is null
  and case when :source::text is not null then m.project = :source
    else :all::boolean or m.project = any(:searched::text[]) end
  and fence_allows('read', :caller, :level, m.project, (select p.isolation from projects p where p.slug = m.project))
order by m.updated_at desc, m.id desc
limit :most
