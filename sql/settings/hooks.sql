-- How was each hook of each client answered last, when was a client heard at all, and how many of its sessions are at
-- work? A client is there when one of its hooks ever came. Who was heard last comes first, with how many there are.
with
  heard as (
    select client, max(at) as at
    from (
      select client, at from hooks_heard
      union all
      select client, greatest(answered_at, failed_at) from hook_answers
    ) told
    group by client
  ),
  live as (
    select external_client as client, count(*)::int as n
    from sessions
    where status = 'active' and updated_at >= loam_now() - coalesce(idle_minutes, :idle::int) * interval '1 minute'
    group by external_client
  )
select h.client, h.at, coalesce(l.n, 0) as live,
  coalesce((
    select jsonb_agg(jsonb_build_object('hook', a.hook, 'answered_at', a.answered_at, 'failed_at', a.failed_at,
      'cause', a.cause))
    from hook_answers a where a.client = h.client), '[]') as hooks, count(*) over ()::int as clients
from heard h left join live l using (client)
order by h.at desc, h.client
limit :most
