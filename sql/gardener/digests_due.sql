-- In which projects did at least :least sessions end with findings since :since and before :until, the bounds of
-- :month? A session belongs to the month in which it was last heard. What was decided on the digest of that month
-- counts: so many must have ended after it. The project with most sessions first.
with
  told as (
    select s.project, 'digest:' || s.project || ':' || :month as key, count(*)::int as sessions,
      max(s.updated_at) as newest
    from sessions s
    where s.status = 'completed' and s.findings <> '' and s.findings <> :blank
      and s.updated_at >= :since and s.updated_at < :until
    group by 1
    having count(*) >= :least
  )
select t.project, (count(*) over ())::int as found
from told t,
  lateral (
    select max(p.resolved_at) as at from proposals p where p.dedupe_key = t.key and p.status <> 'pending'
  ) decided
where not is_settled(t.key, t.newest)
  and (decided.at is null or :least <= (
    select count(*)
    from (
      select from sessions s
      where s.project = t.project and s.status = 'completed' and s.findings <> '' and s.findings <> :blank
        and s.updated_at > decided.at and s.updated_at < :until
      limit :least
    ) after
  ))
order by t.sessions desc, t.project
limit :most
