-- After which of these :events, each the closing of a step, was no step of its plan left and at least one done? Of a
-- plan that has been shipped none is asked for. Steps are as they were in the order in which events are handed over:
-- what was visible in the snapshot :prev, and of what is in :now whatever comes no later than the event itself. So the
-- last one that is handed over finds all the others, however they were committed.
with closings as materialized (
  select e.id, e.tx, e.ts, e.project, e.payload ->> 'plan_slug' as plan
  from events_acts e
  where e.id = any (:events::text[]) and not exists (
    select from moments m
    where m.kind = 'plan.shipped' and m.project = e.project and m.item = e.payload ->> 'plan_slug'
  )
)
select c.id as event, c.project, c.plan, s.steps
from closings c
cross join lateral (
  select count(*)::int as steps, bool_and(status in ('done', 'dropped')) as over, bool_or(status = 'done') as done
  from (
    -- A step whose first move comes later was not there yet. One that never moved is as it stands.
    select coalesce(known.status, later.status, case when later.id is null then t.status end) as status
    from tasks t
    left join lateral (
      select e.id, e.payload ->> 'to' as status
      from events_acts e
      where e.item_id = t.id and e.kind = 'task.transition'
        and (pg_visible_in_snapshot(e.tx, :prev::pg_snapshot)
          or (e.tx, e.id) <= (c.tx, c.id) and pg_visible_in_snapshot(e.tx, :now::pg_snapshot))
      order by e.ts desc, e.id desc limit 1
    ) known on true
    left join lateral (
      select e.id, e.payload ->> 'from' as status
      from events_acts e
      where known.id is null and e.item_id = t.id and e.kind = 'task.transition'
      order by e.ts, e.id limit 1
    ) later on true
    where t.project = c.project and t.plan = c.plan
  ) steps
  where status is not null
) s
where s.over and s.done
order by c.tx, c.id
