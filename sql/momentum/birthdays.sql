-- Which of these :projects is a year older by now, in the owner's zone, than when momentum was switched on at :since?
-- Only the birthday that passed last counts, and only if it passed after that: what passed before is not made up for.
with days as (
  select p.slug as project, p.created_at as registered, (p.created_at at time zone owner_zone())::date as born,
    (loam_now() at time zone owner_zone())::date as today,
    (:since::timestamptz at time zone owner_zone())::date as since
  from projects p
  where p.slug = any (:projects::text[]) and p.created_at < loam_now() - interval '364 days'
)
select d.project, d.registered, y.years
from days d
cross join lateral (
  select extract(year from age(d.today, d.born))::int as years
) y
where y.years > 0 and (d.born + y.years * interval '1 year')::date >= d.since
  and not exists (
    select from moments m
    where m.kind = 'milestone.reached' and m.project = d.project
      and m.item = 'birthday-' || y.years || ':' || d.project
  )
order by d.project
