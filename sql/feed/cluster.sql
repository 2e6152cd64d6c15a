-- Which cluster answers, and on which timeline? Transaction numbers and snapshots mean nothing in another.
select (select system_identifier::text from pg_control_system()) as system,
  (select timeline_id::text from pg_control_checkpoint()) as timeline
