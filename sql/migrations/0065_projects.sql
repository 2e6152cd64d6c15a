-- What happened last in a project is found by the project, whoever did it: agents of others and the owner write there
-- too. The kind beside it tells what is counted without the row.
create index events_project on events (project, ts desc, id desc) include (kind);
-- What a recall of a project recorded beside its call, which the count leaves out.
create index events_acts_in_its_call_of on events_acts (project, ts desc) include (id) where in_its_call(kind, payload);
-- The moves out of a project.
create index events_acts_moved_from on events_acts ((payload ->> 'from')) where kind = 'memory.moved';

-- How many sessions each project has, and the tokens that they reported, so that the board does not read them all. In
-- several rows that are summed, so that those who begin and end sessions at the same time do not wait for each other.
create table session_totals (
  project text collate "C" not null,
  slot smallint not null,                     -- tells the rows apart and means nothing else
  sessions integer not null,
  tokens bigint not null,
  primary key (project, slot)
) with (fillfactor = 70);
insert into session_totals
select project, 0, count(*), sum(input_tokens + cached_tokens + cache_creation_tokens + output_tokens)
from sessions group by project;

-- Adds what one session is now, and takes off what it was.
create function count_session() returns trigger language plpgsql as
$$
begin
  insert into session_totals as t (project, slot, sessions, tokens)
  select project, pg_backend_pid() % 64, sum(n), sum(n * tokens)
  from (
    select new.project, 1 as n, new.input_tokens + new.cached_tokens + new.cache_creation_tokens + new.output_tokens as tokens
    where tg_op <> 'DELETE'
    union all
    select old.project, -1, old.input_tokens + old.cached_tokens + old.cache_creation_tokens + old.output_tokens
    where tg_op <> 'INSERT'
  ) moved
  group by project
  having (sum(n), sum(n * tokens)) <> (0, 0)
  order by project
  on conflict (project, slot) do update set
    sessions = t.sessions + excluded.sessions, tokens = t.tokens + excluded.tokens;
  return null;
end
$$;
create trigger sessions_counted after insert or delete on sessions for each row execute function count_session();
-- A sign of life changes none of these.
create trigger sessions_recounted
  after update of project, input_tokens, cached_tokens, cache_creation_tokens, output_tokens on sessions
  for each row
  when ((old.project, old.input_tokens, old.cached_tokens, old.cache_creation_tokens, old.output_tokens)
    is distinct from (new.project, new.input_tokens, new.cached_tokens, new.cache_creation_tokens, new.output_tokens))
  execute function count_session();
