-- On which days of the owner's zone, from :from to the one before :until, did sessions begin, how many, and did any of
-- them leave something: findings, a memory, a note, a trial?
select to_char(day, 'YYYY-MM-DD') as day, sessions, covered
from (
  select (created_at at time zone owner_zone())::date as day, count(*)::int as sessions,
    bool_or(findings or memories + notes + trials > 0) as covered
  from session_kept
  where created_at >= :from::date::timestamp at time zone owner_zone()
    and created_at < :until::date::timestamp at time zone owner_zone()
  group by 1
) days
order by day
