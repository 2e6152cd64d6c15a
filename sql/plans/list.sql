-- Which plans exist, in :project or anywhere, with the latest change first? A plan is the notes and tasks
-- of a project that share a slug: the notes tagged plan:<slug> and the tasks of that plan. Its note is the
-- one marked as a capture, else the earliest without planning runs. Its tokens are those of every session
-- that took part, whole. A session of two plans counts in both, so nobody may sum them. A plan is in progress
-- while a step is, and done when its capture says so or no step is left. :pattern is for title and slug, '' for
-- any; :phases is null for any. The page is the one behind :skip, or that which holds :beside, a plan of :beside_project, and
-- the first where the filter leaves it out. The counts are of all that match, whatever :phases; `ever` is of any age. A row without a
-- plan carries them alone.
with
  joined as (
    select n.project, t.plan, n.id, n.created_at, n.updated_at, n.tags @> '{agent-cache}' as run,
      n.tags @> '{cc-plan}' as marked,
      n.slug like 'cc-plan-%' and n.tags @> '{cc-plan}' and n.source_url = '' as capture
    from notes n,
      lateral (select distinct substr(tag, 6) as plan from unnest(n.tags) as tag where tag like 'plan:_%') t
    where (:project::text is null or n.project = :project)
      and (:plan::text is null or n.tags @> array['plan:' || :plan] and t.plan = :plan)
  ),
  noted as (
    select project, plan, max(updated_at) as moved, count(*) filter (where run)::int as runs,
      (array_agg(id order by marked desc, created_at, id) filter (where not run))[1] as note,
      bool_or(capture and not run) as captured
    from joined
    group by project, plan
  ),
  stepped as (
    select t.project, t.plan, max(t.updated_at) as moved, count(*)::int as total,
      count(*) filter (where t.status in ('done', 'dropped'))::int as done,
      count(*) filter (where t.status = 'in_progress')::int as in_flight,
      count(*) filter (where t.status = 'open')::int as open,
      count(*) filter (where t.status = 'open' and not exists (
        select from task_deps d join tasks b on b.id = d.depends_on
        where d.task_id = t.id and b.status in ('open', 'in_progress')
      ))::int as claimable
    from tasks t
    where t.plan <> '' and (:project::text is null or t.project = :project)
      and (:plan::text is null or t.plan = :plan)
    group by t.project, t.plan
  ),
  found as (
    select project, plan, n.note, coalesce(n.captured, false) as captured, coalesce(n.runs, 0) as runs,
      coalesce(s.total, 0) as total, coalesce(s.done, 0) as done, coalesce(s.in_flight, 0) as in_flight,
      coalesce(s.open, 0) as open, coalesce(s.claimable, 0) as claimable,
      greatest(n.moved, s.moved) as moved
    from noted n full join stepped s using (project, plan)
  ),
  phased as (
    select f.*,
      case
        when f.in_flight > 0 then 'in_progress'
        when f.captured and p.tags && '{plan-status:abandoned,plan-status:shipped,plan-status:merged}' then 'done'
        when f.total > 0 and f.open = 0 then 'done'
        else 'ready'
      end as phase,
      :since::interval is null or f.moved >= loam_now() - :since::interval as recent
    from found f left join notes p on p.id = f.note
    where :pattern = '' or f.plan collate "default" ilike :pattern or p.title ilike :pattern
  ),
  counts as (
    select count(*) filter (where recent and phase = 'in_progress')::int as count_in_progress,
      count(*) filter (where recent and phase = 'ready')::int as count_ready,
      count(*) filter (where recent and phase = 'done')::int as count_done,
      count(*)::int as ever
    from phased
  ),
  asked as (
    select * from phased where recent and (:phases::text[] is null or phase = any (:phases))
  ),
  place as (
    select case when :beside::text is null then :skip::int else (
      select count(*)::int / :most::int * :most::int
      from asked b join asked a
        on a.moved > b.moved or a.moved = b.moved and (a.project, a.plan) < (b.project, b.plan)
      where b.project = :beside_project::text and b.plan = :beside
    ) end as skipped
  ),
  shown as (
    select *
    from asked
    order by moved desc, project, plan
    limit :most::int offset (select skipped from place)
  )
select s.*, c.*, place.skipped, p.slug as note_slug, p.title, coalesce(p.favorite, false) as favorite,
  coalesce(p.tags, '{}') as tags, coalesce(left(p.body, 1000), '') as head,
  spent.sessions, spent.tokens, spent.unreported, spent.shared
from counts c
cross join place
left join shown s on true
left join notes p on p.id = s.note
cross join lateral (
  select count(*)::int as sessions, coalesce(sum(each.tokens), 0)::float8 as tokens,
    count(*) filter (where each.tokens = 0)::int as unreported,
    count(*) filter (where each.shared)::int as shared
  from (
    select coalesce(w.input_tokens + w.cached_tokens + w.cache_creation_tokens + w.output_tokens, 0) as tokens,
      exists (
        select from plan_sessions o
        where o.session_id = a.session_id and (o.project, o.plan) <> (a.project, a.plan)
      ) as shared
    from plan_sessions a left join sessions w on w.id = a.session_id
    where a.project = s.project and a.plan = s.plan
  ) each
) spent
order by s.moved desc, s.project, s.plan
