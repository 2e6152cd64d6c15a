-- Which sessions had a part in a plan: they made or moved one of its steps, or captured, presented or
-- approved it. Kept as it is told, so that nobody reads the log for it.
create table plan_sessions (
  project text collate "C" not null,            -- '' is the global scope
  plan text collate "C" not null,
  session_id text collate "C" not null,
  primary key (project, plan, session_id)
);
create index plan_sessions_session on plan_sessions (session_id);

insert into plan_sessions (project, plan, session_id)
select distinct e.project, e.payload ->> 'plan_slug', e.session_id
from events e
where e.kind in ('task.transition', 'plan.captured', 'plan.presented', 'plan.approved')
  and e.project is not null and coalesce(e.session_id, '') <> ''
  and coalesce(e.payload ->> 'plan_slug', '') <> '';
