-- Which programs hold connections of the tools' endpoint, how many, and when was each last heard? Who was heard last comes
-- first, with how many programs there are. A connection is forgotten once it was silent for thirty days.
select client, count(*)::int as connections, max(last_seen) as at,
  (array_agg(client_version order by last_seen desc))[1] as version, count(*) over ()::int as programs
from mcp_sessions
group by client
order by at desc, client
limit :most
