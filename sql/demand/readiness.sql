-- How much demand has each project? All of it since it began, and that of the last 30 days. One kind of
-- demand counts once in a session, or each time when the session is unknown.
with
  lately as (
    select e.project, coalesce(demand_session(e.session_id, e.payload), e.id) as session, i.class, i.item_id
    from event_items_acts i join events_acts e on e.id = i.event_id
    where i.class in ('read', 'recall', 'prompt') and i.ts >= loam_now() - interval '30 days'
  ),
  recent as (
    select project, count(distinct (session, class))::int as events, count(distinct item_id)::int as items
    from lately group by project
  ),
  known as (
    select '' as project
    union select slug from projects where retired_at is null
    union select project from demand_starts
    union select jsonb_object_keys(case jsonb_typeof(:activation::jsonb) when 'object' then :activation::jsonb else '{}' end)
  )
select k.project, coalesce(r.events, 0) as events, coalesce(r.items, 0) as items,
  extract(epoch from loam_now() - s.first_at)::float8 / 86400 as age
from known k left join demand_starts s using (project) left join recent r using (project)
