-- The owner's search finds any characters within what sessions left and tasks say. What still changes is not among
-- them: it is little, is read whole, and every heartbeat and claim would write it into these indexes again.
create index sessions_characters on sessions using gin (called gin_trgm_ops, findings gin_trgm_ops) where status <> 'active';
create index tasks_characters on tasks using gin (body gin_trgm_ops) where status in ('done', 'dropped');
