-- Trials: what was tried, what was expected of it and what came of it. Rows only, never changed but for
-- the star. A lab is the label that trials carry, and nothing besides.
create table trials (
  id text collate "C" primary key,
  project text collate "C" not null,            -- '' is the global scope
  lab text collate "C" not null,
  title text not null,
  changes text not null default '',
  expected text not null default '',
  actual text not null default '',
  outcome text not null default '',             -- free; usually pass, fail, partial, inconclusive
  metrics jsonb not null default '{}' check (jsonb_typeof(metrics) = 'object'),
  session_id text collate "C" not null default '',
  favorite boolean not null default false,
  created_at timestamptz(3) not null default loam_now()
);
create index trials_recent on trials (created_at desc, id desc);
create index trials_lab on trials (lab, created_at desc, id desc);
create index trials_outcome on trials (outcome, created_at desc, id desc);
-- A filter on metrics asks for equal values, and what is equal contains what it is equal to.
create index trials_metrics on trials using gin (metrics jsonb_path_ops);

-- As before, and of trials: what was recorded by then.
create or replace function stood(kind text, id text, at timestamptz) returns boolean language plpgsql stable parallel safe as
$$
begin
  return case stood.kind
    when 'memory' then exists (select from memories m
      where m.id = stood.id and m.valid_from <= at and (m.invalid_at is null or m.invalid_at > at))
    when 'note' then exists (select from notes n where n.id = stood.id and n.created_at <= at)
    when 'task' then exists (select from tasks t where t.id = stood.id and t.created_at <= at)
    when 'session' then exists (select from sessions s where s.id = stood.id and s.created_at <= at)
    when 'trial' then exists (select from trials r where r.id = stood.id and r.created_at <= at)
    else false end;
end
$$;

-- Switches a feature on for a store that has its data, unless somebody has chosen: what was in use is
-- not hidden by an upgrade or by a move. A row that cannot be read is left as it is.
create function seed_feature(feature text) returns void language sql as
$$
  insert into settings (key, value) values ('features_config', jsonb_build_object(feature, true))
  on conflict (key) do update
    set value = settings.value || excluded.value, updated_at = loam_now()
    where jsonb_typeof(settings.value) = 'object' and not settings.value ? feature
$$;
