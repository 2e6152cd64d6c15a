-- How many agents are live at this moment, and which day is it in the owner's zone? Live are those that are active and
-- were heard within the time for which they live, :idle minutes unless they said more.
select to_char(loam_now() at time zone owner_zone(), 'YYYY-MM-DD') as day, count(*)::int as live_agents
from sessions
where status = 'active' and updated_at >= loam_now() - coalesce(idle_minutes, :idle::int) * interval '1 minute'
