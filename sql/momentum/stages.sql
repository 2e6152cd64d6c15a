-- How old is each of these :projects, in days since it was registered, how many events were ever recorded in it, and
-- which stages has it reached, and when? One that nobody registered has no age.
select s.slug as project, p.created_at as registered,
  coalesce(extract(epoch from loam_now() - p.created_at) / 86400, 0)::float8 as days,
  (select coalesce(sum(c.events), 0)::float8 from log_counts c where c.project = s.slug) as events,
  (
    select coalesce(jsonb_object_agg(split_part(m.item, ':', 1), e.ts), '{}')
    from moments m join events_acts e on e.id = m.event_id
    where m.kind = 'project.stage_reached' and m.project = s.slug
  ) as reached
from unnest(:projects::text[]) as s (slug)
left join projects p on p.slug = s.slug
