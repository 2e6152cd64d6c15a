-- The owner's search finds any characters within the handles of sessions that are over.
create index sessions_handles on sessions using gin (name gin_trgm_ops) where status <> 'active';
