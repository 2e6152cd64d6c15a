-- How many sessions are at work? One is idle after :idle minutes without a sign of life, or what it was started with.
select count(*)::int as count from sessions s
where s.status = 'active' and s.updated_at >= loam_now() - coalesce(s.idle_minutes, :idle) * interval '1 minute'
