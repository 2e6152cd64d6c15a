-- Of the sessions that began in an hour or day from :before on: how many are there, what is left of them, and how
-- many left anything? Those before :since stand in the row without a beginning.
select case when :since::timestamptz is null or created_at >= :since then date_trunc(:unit, created_at, :zone) end as since,
  count(*)::int as total,
  count(*) filter (where findings or memories + notes + trials > 0)::int as covered,
  count(*) filter (where findings)::int as findings, count(*) filter (where memories > 0)::int as memories,
  count(*) filter (where notes > 0)::int as notes, count(*) filter (where trials > 0)::int as trials
from session_kept
where :before::timestamptz is null or created_at >= :before
group by 1
order by 1
