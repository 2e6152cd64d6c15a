-- When each hook of a client was answered last, and when one failed; each written once a minute at most. There are as
-- many rows as clients have hooks.
create table hook_answers (
  client text collate "C" not null,
  hook text collate "C" not null,
  answered_at timestamptz(3),                 -- without any trouble
  failed_at timestamptz(3),
  cause text not null default '',             -- of the last failure, in words for the owner
  primary key (client, hook)
);

insert into hook_answers (client, hook, answered_at)
select client, hook, max(at)
from (
  select payload ->> 'external_client' as client, payload ->> 'hook' as hook, ts as at
  from events where kind in ('retrieval.injected', 'hook.prompt')
  union all
  select external_client, 'session-start', created_at from sessions where ambient
  union all
  select external_client, 'stop', updated_at from sessions where ambient and idle_minutes is not null
  union all
  select external_client, 'session-end', updated_at from sessions where ambient and status = 'completed'
) told
where client <> '' and hook <> ''
group by client, hook;
