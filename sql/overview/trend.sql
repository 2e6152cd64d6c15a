-- By hour or by day of the owner's zone, from the one in which :since lies to the one of now: how many items were put
-- before agents, and how many different memories and sessions these were? Without :since from the first that is kept.
with
  kept as (
    select since, sum(injections) as injections, sum(memories) as memories, sum(sessions) as sessions
    from shown_totals
    where unit = :unit and (:since::timestamptz is null or since >= date_trunc(:unit, :since, :zone))
    group by since
  ),
  axis as (
    select at at time zone :zone as since
    from generate_series(
      date_trunc(:unit, coalesce(:since, (select min(since) from kept), loam_now()), :zone) at time zone :zone,
      loam_now() at time zone :zone, case :unit when 'hour' then interval '1 hour' else interval '1 day' end) at
    where :unit = 'day'
    union all
    select at from generate_series(date_trunc('hour', :since, :zone), loam_now(), interval '1 hour') at
    where :unit = 'hour'
  )
select since, to_char(since at time zone :zone, case :unit when 'hour' then 'HH24:MI' else 'Mon DD' end) as label,
  coalesce(injections, 0)::float8 as injections, coalesce(memories, 0)::int as memories, coalesce(sessions, 0)::int as sessions
from axis left join kept using (since)
order by since
