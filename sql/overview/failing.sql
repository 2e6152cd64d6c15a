-- Which tools failed three times or more in two sessions or more within the hour? That another agent was faster is
-- no failure.
select payload ->> 'tool' as tool, count(*)::int as times,
  count(distinct coalesce(session_id, payload ->> 'probable_session'))::int as sessions,
  max(ts) as at, (array_agg(id order by ts desc, id desc))[1] as event,
  (array_agg(payload ->> 'error' order by ts desc, id desc))[1] as error
from events
where kind = 'tool.call' and payload @> '{"is_error": true}' and ts > loam_now() - interval '1 hour'
  and payload ->> 'refused' is distinct from 'conflict'
group by 1
having count(*) >= 3 and count(distinct coalesce(session_id, payload ->> 'probable_session')) >= 2
order by at desc
