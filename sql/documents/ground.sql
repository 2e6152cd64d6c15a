-- What is known of each of these paths before a document is written there? In their order; see write_ground.
select * from write_ground(:tables, :paths, :targets, :callers, :levels)
