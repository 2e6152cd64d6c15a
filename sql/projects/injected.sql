-- How often were the memories of :project put before agents, by hour or day of the owner's zone, from the one in which
-- :since lies to the one of now? By their own index: the log is not read through. Without :since from the first time.
with
  told as materialized (
    select date_trunc(:unit, i.ts, :zone) as since, count(*)::int as count
    from memories m join event_items i on i.item_id = m.id
    where m.project = :project and i.class in ('shown', 'recall', 'prompt')
      and i.ts >= coalesce(:since::timestamptz, '-infinity')
    group by 1
  ),
  axis as (
    select at at time zone :zone as since
    from generate_series(
      date_trunc(:unit, coalesce(:since, (select min(since) from told), loam_now()), :zone) at time zone :zone,
      loam_now() at time zone :zone, case :unit when 'hour' then interval '1 hour' else interval '1 day' end) at
    where :unit = 'day'
    union all
    select at from generate_series(date_trunc('hour', :since::timestamptz, :zone), loam_now(), interval '1 hour') at
    where :unit = 'hour'
  )
select since, to_char(since at time zone :zone, case :unit when 'hour' then 'HH24:MI' else 'Mon DD' end) as label,
  coalesce(count, 0)::int as count
from axis left join told using (since)
order by since
