-- How large is the write-ahead log? Only a role that may look at it can ask.
select coalesce(sum(size), 0)::float8 as bytes from pg_ls_waldir()
