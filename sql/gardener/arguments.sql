-- With which arguments were these tools called, of calls that failed at these times? In the order of their names, each
-- cut to so many characters.
select e.id, '{' || string_agg(to_json(a.name)::text || ': ' || case when length(a.value::text) > :longest::int
    then left(a.value::text, :longest::int - 1) || '…' else a.value::text end, ', ' order by a.name collate "C") || '}' as args
from events e, jsonb_each(e.payload -> 'args') as a (name, value)
where e.transport and e.kind = 'tool.call' and e.payload @> '{"is_error": true}'
  and e.ts = any (:times::timestamptz[]) and e.id = any (:ids::text[]) and jsonb_typeof(e.payload -> 'args') = 'object'
group by e.id, e.ts
