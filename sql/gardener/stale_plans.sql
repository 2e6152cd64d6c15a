-- Which captured plans that nobody approved were not changed since :cutoff, and no step of theirs? The next :page of
-- them whose note is behind :after are looked at. One of which a proposal waits or was hidden is left out. A plan is kept
-- while a session that took part in it is at work, and when every step is closed and one is done. A page captured from
-- the web is no plan. `last` is the note with which the page ends, in every row; without a match it stands alone, and it
-- is null behind the last note.
with
  waiting as materialized (
    select n.id, n.project, n.slug as note_slug, n.title, n.updated_at, s.status,
      coalesce((select substr(tag, 6) from unnest(n.tags) as tag where tag like 'plan:_%' limit 1), n.slug) as plan
    from notes n,
      lateral (
        select substr(tag, 13) as status from unnest(n.tags) as tag where tag like 'plan-status:%' limit 1
      ) s
    where n.tags @> '{cc-plan}' and n.source_url = '' and s.status in ('draft', 'presented')
      and n.updated_at < :cutoff and n.id > :after
    order by n.id
    limit :page
  )
select (select max(id) from waiting) as last, s.*
from (select) one left join lateral (
  select w.id, w.project, w.note_slug, w.title, w.status, w.plan, stepped.steps, stepped.done,
    greatest(w.updated_at, stepped.at) as moved_at
  from waiting w,
    lateral (
      select count(*)::int as steps, (count(*) filter (where t.status = 'done'))::int as done,
        count(*) filter (where t.status in ('open', 'in_progress')) as unfinished, max(t.updated_at) as at
      from tasks t
      where t.project = w.project and t.plan = w.plan
    ) stepped
  where (stepped.at is null or stepped.at < :cutoff)
    and not (stepped.done > 0 and stepped.unfinished = 0)
    and not exists (
      select from proposals p
      where p.dedupe_key = 'abandon_plan:' || w.id and p.status in ('pending', 'hidden')
    )
    and not exists (
      select from plan_sessions a join sessions s on s.id = a.session_id
      where a.project = w.project and a.plan = w.plan and s.status = 'active'
    )
) s on true
