-- How large is the database, which schema and which server is it, and may this role look at the write-ahead log?
select current_database() as name, pg_database_size(current_database())::float8 as bytes,
  has_function_privilege('pg_ls_waldir()', 'execute') as sees_log,
  (select max(number) from schema_migrations) as schema, current_setting('server_version') as version
