-- What came to an end in :slug since :since and before :until: plans that were shipped, tasks that were done and
-- decisions that another memory replaced? Of each the latest :most; `found` is how many there are of its sort.
with fence as (
  select :everywhere::boolean or fence_allows('read', :caller, :level, :slug,
    (select p.isolation from projects p where p.slug = :slug)) as open
)
(
  select 'plan' as what, e.ts as at, e.payload ->> 'plan' as name, e.payload ->> 'steps' as more,
    (count(*) over ())::int as found
  from events_acts e
  where e.kind = 'plan.shipped' and e.ts >= :since and e.ts < :until and e.project = :slug
    and (select open from fence)
  order by e.ts desc, e.id
  limit :most
)
union all
(
  select 'task', t.closed_at, t.title, t.plan, (count(*) over ())::int
  from tasks t
  where t.project = :slug and (select open from fence)
    and t.status = 'done' and t.closed_at >= :since and t.closed_at < :until
  order by t.closed_at desc, t.id
  limit :most
)
union all
(
  select 'decision', m.invalid_at, m.name,
    coalesce(case when h.project in ('', m.project) then h.name else h.project || '/' || h.name end, ''),
    (count(*) over ())::int
  from memories m left join memories h on h.id = m.superseded_by
  where m.project = :slug and (select open from fence)
    and m.kind = 'decision' and m.superseded_by <> ''
    and m.invalid_at >= :since and m.invalid_at < :until
  order by m.invalid_at desc, m.id
  limit :most
)
