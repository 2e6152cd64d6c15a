-- When does the window begin, and when the one before it? As many hours or calendar days as were asked for, in the
-- owner's zone; of all time there is no beginning.
with at as (select loam_now() as now, owner_zone() as zone)
select zone,
  case when :hours::int is not null then now - :hours * interval '1 hour'
    else ((now at time zone zone) - :days * interval '1 day') at time zone zone end as since,
  case when :hours::int is not null then now - 2 * :hours * interval '1 hour'
    else ((now at time zone zone) - 2 * :days * interval '1 day') at time zone zone end as before
from at
