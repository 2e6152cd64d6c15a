-- Of which clients are sessions at work whose hooks were not heard for a day? After a week they are not missed.
select h.client, h.at, count(*)::int as sessions
from hooks_heard h join sessions s
  on s.status = 'active' and s.updated_at >= loam_now() - coalesce(s.idle_minutes, :idle) * interval '1 minute'
    and (s.external_client = h.client or s.external_client = '' and exists (
      select from mcp_sessions c where c.session_id = s.id and starts_with(lower(c.client), h.client)))
where h.at <= loam_now() - interval '1 day' and h.at > loam_now() - interval '8 days'
group by h.client, h.at
order by h.at
