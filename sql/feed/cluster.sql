-- Which cluster is this, and on which timeline? Transaction numbers and snapshots have no meaning in another.
select (select system_identifier::text from pg_control_system()) as system,
  (select timeline_id::text from pg_control_checkpoint()) as timeline
