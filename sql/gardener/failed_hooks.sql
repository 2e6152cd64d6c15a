-- Which hooks failed in the last days? A page of it, newest first. No project is known of any.
select id, ts as at, payload ->> 'stage' as name, coalesce(payload ->> 'client', '') as client,
  left(payload ->> 'error', :longest::int) as error, ts > (select loam_now() - :fresh * interval '1 day') as fresh
from events
where transport and kind = 'hook.error'
  and ts > (select loam_now() - :days * interval '1 day') and ts <= coalesce(:until::timestamptz, 'infinity')
  and (ts, id) < (coalesce(:until::timestamptz, 'infinity'), :until_id)
order by ts desc, id desc
limit :most
