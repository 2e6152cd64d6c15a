-- Which labs have trials that match, the one with the newest first, and what came of them? One page, and how many
-- labs and trials there are in all: these stand in a row of no lab where the page has none. Of the projects :projects
-- names, the first of the alphabet.
with
  matching as (
    select lab, count(*)::int as trials,
      count(*) filter (where outcome = 'pass')::int as pass,
      count(*) filter (where outcome = 'fail')::int as fail,
      count(*) filter (where outcome = 'partial')::int as partial,
      count(*) filter (where outcome = 'inconclusive')::int as inconclusive,
      count(distinct nullif(session_id, ''))::int as sessions,
      count(distinct project)::int as projects_total,
      min(created_at) as first, max(created_at) as last
    from trials
    where (:lab::text is null or lab = :lab)
      and (:project::text is null or project = :project)
      and (:pattern::text = '' or lab collate "default" ilike :pattern)
    group by lab
  ),
  page as (
    select * from matching order by last desc, lab limit :most::int offset :skip::int
  )
select p.lab, p.trials, p.pass, p.fail, p.partial, p.inconclusive,
  p.trials - p.pass - p.fail - p.partial - p.inconclusive as other,
  array(
    select distinct t.project from trials t
    where t.lab = p.lab and (:project::text is null or t.project = :project)
    order by t.project limit :projects::int
  ) as projects,
  p.projects_total, p.sessions, p.first, p.last,
  all_of.labs_total, all_of.trials_total
from (select count(*)::int as labs_total, coalesce(sum(trials), 0)::int as trials_total from matching) all_of
left join page p on true
order by p.last desc, p.lab
