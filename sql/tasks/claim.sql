-- Gives :task to :session, if it can be begun, or if it was begun and nobody else's lease runs; no row: it
-- was not given. With an event's id the claim is recorded at once, and then only a task of no plan is
-- given: from a step something follows, so that `told` has still to be recorded.
select given.id, given.project, given.title, given.body, given.status, given.created_by, given.plan,
  given.claimed_by, given.lease_expires_at, given.paths, given.favorite, given.claim_token,
  array(select d.depends_on from task_deps d where d.task_id = given.id order by d.depends_on) as depends_on,
  seen.project = :caller or not :sealed::boolean and not exists (
    select from projects p where p.slug = seen.project and p.isolation <> 'open'
  ) as readable,
  seen.live as renewed, seen.prior_holder, seen.told
from (
  select t.*, now.live, now.prior_holder, jsonb_strip_nulls(jsonb_build_object(
    'from', t.status, 'to', 'in_progress', 'claimed_by', :session::text,
    'renewed', case when now.live then true end,
    'reclaimed', case when now.prior_holder <> '' then true end,
    'prior_holder', nullif(now.prior_holder, ''), 'plan_slug', nullif(t.plan, ''))) as told
  from tasks t
  cross join lateral (
    select t.status = 'in_progress' and t.claimed_by <> '' and t.lease_expires_at > loam_now() as runs
  ) lease
  cross join lateral (
    select coalesce(lease.runs, false) as live,
      case when t.status = 'in_progress' and lease.runs is not true and t.claimed_by <> :session
        then t.claimed_by else '' end as prior_holder
  ) now
  where t.id = :task
    and (t.project = :caller or :isolation = 'open' and not exists (
      select from projects p where p.slug = t.project and p.isolation = 'sealed'))
    and (:claim_token::text is null or t.claim_token = :claim_token)
    and (t.status = 'open' and t.waits_for = 0
      or t.status = 'in_progress' and (not now.live or t.claimed_by = :session))
    and (:event::text is null or t.plan = '')
  offset 0
) seen
cross join lateral claim_task(
  seen.id, seen.project, seen.status, seen.claim_token, :session,
  case when seen.live then seen.claim_token else :token end, :seconds::integer,
  coalesce(:paths::text[], case when seen.live then seen.paths else '{}' end), :event::text, seen.told
) given
