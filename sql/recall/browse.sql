-- Which memories of one kind are there? The ones changed last first.
select 'memory' as kind, m.id
from memories m
where m.kind = :memory_kind and m.project = any (:searched::text[] || :inherited::text[])
  and case when :at::timestamptz is null then m.invalid_at is null else stood('memory', m.id, :at) end
order by m.updated_at desc, m.id desc
limit :limit
