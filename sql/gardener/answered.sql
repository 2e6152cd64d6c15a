-- What did agents ask of recall in the last days, in these projects, and was answered? A page of all that recall put
-- before agents, newest first; the query is null where nothing was asked, or was asked elsewhere.
select id, ts as at, coalesce(project, '') as project,
  case when payload ->> 'source' = 'recall' and coalesce(project, '') = any (:projects::text[])
    then payload ->> 'query' end as query
from events
where not transport and in_its_call(kind, payload)
  and ts > (select loam_now() - :days * interval '1 day') and ts <= coalesce(:until::timestamptz, 'infinity')
  and (ts, id) < (coalesce(:until::timestamptz, 'infinity'), :until_id)
order by ts desc, id desc
limit :most
