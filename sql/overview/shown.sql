-- How often were items put before agents since :since, what did their text take, and in how many sessions? And in
-- the window before, from :before on. Whole hours are summed from what is kept, and the rest is counted.
with
  kept as (
    select since as at, injections, tokens from shown_totals
    where unit = case when :since::timestamptz is null then 'day' else 'hour' end
      and (:before::timestamptz is null or since >= :before)
  ),
  -- The hours in which the two windows begin.
  edges as (
    select edge as from_at, date_trunc('hour', edge, :zone) as hour
    from (values (:since::timestamptz), (:before::timestamptz)) v (edge) where edge is not null
  ),
  parts as (
    select s.at, cardinality(s.items) as injections, s.tokens
    from edges c cross join lateral (
      -- Each hour by its index; joined at large the log would be read through.
      select e from events_acts e
      where e.kind = 'retrieval.injected' and e.ts >= greatest(c.hour, :before) and e.ts < c.hour + interval '1 hour'
      offset 0
    ) near, lateral showing_of(near.e) s
  ),
  whole as (
    select at, injections, tokens from kept where at not in (select hour from edges)
    union all
    select at, injections, tokens from parts
  ),
  numbers as materialized (
    select case when :by_hour then hour_number(:since, :zone) else day_number(:since, :zone) end as first,
      case when :by_hour then hour_number(:before, :zone) else day_number(:before, :zone) end as earlier
  ),
  reached as (
    select count(*) filter (where :since::timestamptz is null or last_at >= :since) as now,
      -- By whole hours or days, as they are kept.
      count(*) filter (where case when :by_hour
        then hours & bits_between(hour - first + 1, hour - numbers.earlier)
        else days & bits_between(day - first + 1, day - numbers.earlier) end <> 0) as earlier
    from shown_lately, numbers
    where what = 'session' and (:before::timestamptz is null or last_at >= :before)
  )
select
  coalesce(sum(injections) filter (where :since::timestamptz is null or at >= :since), 0)::float8 as injections,
  coalesce(sum(tokens) filter (where :since::timestamptz is null or at >= :since), 0)::float8 as tokens,
  coalesce(sum(injections) filter (where at < :since), 0)::float8 as injections_before,
  coalesce(sum(tokens) filter (where at < :since), 0)::float8 as tokens_before,
  (select now from reached)::int as sessions,
  (select earlier from reached)::int as sessions_before
from whole
