-- Whoever renews a lease or hears of a session writes too, many times a minute, and changes nothing that figures count:
-- a page that came at such a moment counted everything anew.

-- The number of changes so far, and whether all of them can be seen by a statement that begins later: null while anybody
-- writes what figures count. What time alone changes in figures is told by steps of five minutes.
create or replace function figures_stand(out changes bigint, out step bigint) language plpgsql as
$$
begin
  select last_value into changes from figure_changes;
  -- Who made it greater had locked the table before, and holds that lock until its end can be seen.
  select floor(extract(epoch from loam_now()) / 300) into step where not exists (
    select from pg_locks
    where locktype = 'relation'
      and database = (select oid from pg_database where datname = current_database())
      and relation in (select tgrelid from pg_trigger where tgfoid = 'figures_changed'::regproc)
      and mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      and pid <> pg_backend_pid()
  );
end
$$;
