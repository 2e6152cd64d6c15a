-- Who is at work, and who has fallen silent? Active sessions with the time for which they live; `idle` are those
-- of which nothing was heard for longer than they said, or for :idle minutes. The last one heard first.
select s.id, s.name,
  coalesce((select nullif(first_line(t.title), '') from tasks t where t.id = s.claimed_task), s.called) as called,
  s.project, s.external_client, s.model, s.favorite, s.created_at as created,
  s.updated_at as updated, s.idle_minutes is not null as resting,
  s.updated_at < loam_now() - coalesce(s.idle_minutes, :idle::int) * interval '1 minute' as idle,
  extract(epoch from loam_now() - s.updated_at)::float8 as silent,
  extract(epoch from greatest(loam_now(), s.updated_at) - s.created_at)::float8 as seconds,
  (s.input_tokens + s.cached_tokens + s.cache_creation_tokens + s.output_tokens)::float8 as tokens
from sessions s
where s.status = 'active'
order by s.updated_at desc, s.id
