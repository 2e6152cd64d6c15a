-- What may be begun is counted where it changes, not each time somebody asks: a queue is read far more
-- often than something that others wait for is finished.
alter table tasks add waits_for integer not null default 0;    -- its blockers that are open or in progress
update tasks t set waits_for = (
  select count(*) from task_deps d join tasks b on b.id = d.depends_on
  where d.task_id = t.id and b.status in ('open', 'in_progress'))
where exists (select from task_deps d where d.task_id = t.id);
alter table tasks add blocked boolean not null generated always as (waits_for > 0) stored;

create index tasks_queue on tasks (project, plan, blocked, created_at, id) where status = 'open';
create index tasks_begun on tasks (project, plan, created_at, id) where status = 'in_progress';
create index tasks_listed on tasks (project, plan, created_at, id);
