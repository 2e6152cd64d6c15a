-- What a briefing looks for among the memories of a scope, however many they are.
create index memories_listed on memories (project, updated_at desc, id desc)
  where invalid_at is null and kind not in ('constraint', 'convention', 'stage');
create index memories_conventions on memories (project, updated_at desc, id desc)
  where invalid_at is null and kind = 'convention';
create index memories_rules on memories (project, kind) include (id, name, favorite, updated_at, stage_status)
  where invalid_at is null and kind in ('constraint', 'stage');
create index memories_starred on memories (project) where invalid_at is null and favorite;
