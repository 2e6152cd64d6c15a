-- When the rows of this database had caught up with every file for the first time. Until then none of
-- its processes may take a missing row for a missing item.
alter table store add column files_read_at timestamptz;
