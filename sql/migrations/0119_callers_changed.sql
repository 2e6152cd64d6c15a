-- What a call begins with is the same from one call to the next, most of the time. The embedded database is told when it
-- has changed, within the transaction that changes it, so that nobody asks for it in between. A server tells nobody: its
-- sessions do not listen for this themselves.

create function callers_changed() returns trigger language plpgsql as
$$
begin
  if exists (select from pg_listening_channels() channel where channel = 'loam_callers') then
    perform pg_notify('loam_callers', '');
  end if;
  return null;
end
$$;

-- A connection that is new has said nothing yet.
create trigger callers after delete on mcp_sessions for each row execute function callers_changed();
create trigger callers_updated after update on mcp_sessions for each row
  when ((old.id, old.session_id, old.protocol_version, old.client, old.lab)
    is distinct from (new.id, new.session_id, new.protocol_version, new.client, new.lab))
  execute function callers_changed();

create trigger callers after insert or delete on sessions for each row execute function callers_changed();
-- One that rested comes back by a sign of life. It rests for a minute at least, and a busy one is marked each second.
create trigger callers_updated after update on sessions for each row
  when ((old.id, old.name, old.status, old.project, old.model, old.lab, old.cwd, old.external_client,
      old.client_session_id, old.process, old.announced_at, old.ambient, old.idle_minutes)
    is distinct from (new.id, new.name, new.status, new.project, new.model, new.lab, new.cwd, new.external_client,
      new.client_session_id, new.process, new.announced_at, new.ambient, new.idle_minutes)
    or new.updated_at not between old.updated_at and old.updated_at + interval '30 seconds')
  execute function callers_changed();

create trigger callers after insert or delete on projects for each row execute function callers_changed();
create trigger callers_updated after update on projects for each row
  when ((old.slug, old.isolation, old.parent_slug) is distinct from (new.slug, new.isolation, new.parent_slug))
  execute function callers_changed();

create trigger callers after insert or update on settings for each row
  when (new.key = 'features_config') execute function callers_changed();
create trigger callers_deleted after delete on settings for each row
  when (old.key = 'features_config') execute function callers_changed();

create trigger callers_updated after update on store for each row
  when (old.files_read_at is distinct from new.files_read_at) execute function callers_changed();

-- Whoever moves the clock moves whom it calls at rest.
create trigger callers_updated after update on clock for each row
  when ((old.shift, old.correction) is distinct from (new.shift, new.correction)) execute function callers_changed();

-- Rows that go all at once go without triggers of their own.
create trigger callers_emptied after truncate on mcp_sessions execute function callers_changed();
create trigger callers_emptied after truncate on sessions execute function callers_changed();
create trigger callers_emptied after truncate on projects execute function callers_changed();
create trigger callers_emptied after truncate on settings execute function callers_changed();
