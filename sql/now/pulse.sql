-- How many events were there in the last hour, by five minutes and session? Twelve times five minutes, the last
-- of which still run; each has a row at least. A session that is '' stands for the events of none.
select now.at, span.since, coalesce(p.session_id, '') as session, coalesce(sum(p.events), 0)::int as events
from (select loam_now() as at) now
cross join lateral (
  select pulse_of(now.at) - nth * interval '5 minutes' as since from generate_series(0, 11) as nth
) span
left join pulse p on p.since = span.since
group by now.at, span.since, p.session_id
order by span.since, p.session_id
