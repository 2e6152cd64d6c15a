-- By which ways were items put before agents since :since, how often, and in how many events? Of those that show
-- without a request: how many different items, and how many of these did agents of the same project read or find by
-- recall within the day?
with
  kept as (
    select surface, sum(events) as events, sum(items) as items
    from shown_surfaces
    where unit = 'day'
      and (:since::timestamptz is null or since >= next_day(:since, :zone))
    group by surface
    union all
    select surface, sum(events), sum(items)
    from shown_surfaces
    where unit = 'hour' and since >= next_hour(:since, :zone)
      and since < next_day(:since, :zone)
    group by surface
    union all
    select s.surface, count(*), sum(cardinality(s.items))
    from (
      select e from events_acts e
      where e.kind = 'retrieval.injected' and e.ts >= :since
        and e.ts < next_hour(:since, :zone)
      offset 0
    ) near, lateral showing_of(near.e) s
    group by s.surface
  ),
  used as (
    select surface, sum(events)::float8 as events, sum(items)::float8 as injections from kept group by surface
  ),
  pushed as (
    select surface, count(*)::int as items, count(*) filter (where pulled)::int as pulled
    from (
      select surface, id, bool_or(pulled_at is not null and (:since::timestamptz is null or pulled_at >= :since)) as pulled
      from item_uses
      where surface in ('session-start', 'subagent-start') and times > 0
        and (:since::timestamptz is null or last_at >= :since)
      group by surface, id
    ) shown
    group by surface
  )
select surface, used.events, used.injections, coalesce(items, 0) as items, coalesce(pulled, 0) as pulled
from used left join pushed using (surface)
order by surface
