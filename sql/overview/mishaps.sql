-- What did agents report that they did wrong, the last :most of it in :days days? `total` counts all of it.
select e.id, e.ts, e.project, e.session_id, e.payload ->> 'description' as description,
  coalesce(s.external_client, '') as harness, coalesce(s.model, '') as model, coalesce(s.name, '') as name,
  count(*) over ()::int as total
from events_acts e left join sessions s on s.id = e.session_id
where e.kind = 'agent.mishap' and e.ts > loam_now() - :days * interval '1 day'
order by e.ts desc, e.id desc
limit :most
