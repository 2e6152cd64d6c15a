-- Of the sessions that began in an hour or day from :before on: how many are there, what is left of them, and how
-- many left anything? Those before :since stand in the row without a beginning. Hours and days are kept in sum; those
-- in which a window begins are counted.
with
  whole as (
    select since as at, total, covered, findings, memories, notes, trials
    from kept_totals
    where unit = :unit and (:before::timestamptz is null or since > date_trunc(:unit, :before, :zone))
      and (:since::timestamptz is null or since <> date_trunc(:unit, :since, :zone))
    union all
    select created_at, 1, (findings or memories + notes + trials > 0)::int, findings::int, (memories > 0)::int,
      (notes > 0)::int, (trials > 0)::int
    from session_kept k
    where k.created_at >= :before and k.created_at < case :unit when 'hour' then next_hour(:before, :zone) else next_day(:before, :zone) end
    union all
    select created_at, 1, (findings or memories + notes + trials > 0)::int, findings::int, (memories > 0)::int,
      (notes > 0)::int, (trials > 0)::int
    from session_kept k
    where k.created_at >= date_trunc(:unit, :since::timestamptz, :zone)
      and k.created_at < case :unit when 'hour' then next_hour(:since, :zone) else next_day(:since, :zone) end
  )
select case when :since::timestamptz is null or at >= :since then date_trunc(:unit, at, :zone) end as since,
  sum(total)::int as total, sum(covered)::int as covered, sum(findings)::int as findings, sum(memories)::int as memories,
  sum(notes)::int as notes, sum(trials)::int as trials
from whole
group by 1
having sum(total) > 0
order by 1
