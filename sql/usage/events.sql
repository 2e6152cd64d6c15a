-- How many events of each kind has the log had of projects that the caller may read?
with
  fenced as materialized (
    select array(select slug from projects where isolation <> 'open' and slug <> :caller) as slugs
  )
select kind, sum(events)::int8 as count
from log_counts
where case when :sealed::boolean then project = :caller else project <> all ((select slugs from fenced)::text[]) end
group by kind
order by kind
