-- What is written waits in a list before it is sorted into an inverted index, and each search reads that whole list: up to
-- 4 MB of it by default, on a database that is tidied only while nobody is at work. 64 kB are the least that can be set.
do $$
declare
  one regclass;
begin
  for one in
    select c.oid from pg_class c join pg_am m on m.oid = c.relam
    where m.amname = 'gin' and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace
    order by c.relname
  loop
    execute format('alter index %s set (gin_pending_list_limit = 64)', one);
    perform gin_clean_pending_list(one);
  end loop;
end
$$;
