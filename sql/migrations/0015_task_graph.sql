-- What may be begun is counted where it changes, not each time somebody asks: a queue is read far more
-- often than something that others wait for is finished.
alter table tasks add depends_on_total integer not null default 0;   -- its blockers
alter table tasks add waits_for integer not null default 0;          -- those that are open or in progress
update tasks set depends_on_total = counted.edges, waits_for = counted.unfinished
from (
  select d.task_id, count(*) as edges,
    count(*) filter (where b.status in ('open', 'in_progress')) as unfinished
  from task_deps d join tasks b on b.id = d.depends_on
  group by d.task_id
) counted
where tasks.id = counted.task_id;
alter table tasks add blocked boolean not null generated always as (waits_for > 0) stored;

create index tasks_queue on tasks (project, plan, blocked, created_at, id) where status = 'open';
create index tasks_begun on tasks (project, plan, created_at, id) where status = 'in_progress';
create index tasks_listed on tasks (project, plan, created_at, id);
drop index tasks_plan;
