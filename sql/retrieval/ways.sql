-- By hour or by day of the owner's zone, from the one in which :since lies to the one of now: how many items were put
-- before agents by each way? Without :since from the first that is kept.
with
  kept as (
    select since, surface, sum(items) as items
    from shown_surfaces
    where unit = :unit and (:since::timestamptz is null or since >= date_trunc(:unit, :since, :zone))
    group by since, surface
  ),
  axis as (
    select at at time zone :zone as since
    from generate_series(
      date_trunc(:unit, coalesce(:since, (select min(since) from kept), loam_now()), :zone) at time zone :zone,
      loam_now() at time zone :zone, interval '1 day') at
    where :unit = 'day'
    union all
    select at from generate_series(date_trunc('hour', :since, :zone), loam_now(), interval '1 hour') at
    where :unit = 'hour'
  )
select since, to_char(since at time zone :zone, case :unit when 'hour' then 'HH24:MI' else 'Mon DD' end) as label,
  case :unit when 'hour' then to_char(since at time zone :zone, 'Mon DD') end as day,
  coalesce(jsonb_object_agg(surface, items) filter (where surface is not null), '{}') as items
from axis left join kept using (since)
group by since
order by since
