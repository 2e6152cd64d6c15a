-- How many active memories has each project, how many of them were put before an agent since :since, and how many
-- in the window before? The latter by whole hours or days, as they are kept. And how many go stale: they are older
-- than :stale days, and no agent was shown them for as long? Of :project alone when it is said.
with numbers as materialized (
  select case when :by_hour then hour_number(:since, :zone) else day_number(:since, :zone) end as first,
    case when :by_hour then hour_number(:before, :zone) else day_number(:before, :zone) end as earlier,
    coalesce(:since, '-infinity') as begins, coalesce(:before, '-infinity') as before,
    loam_now() - :stale * interval '1 day' as stale
)
select r.project, count(*)::int as active,
  count(*) filter (where r.last_at >= n.begins)::int as surfaced,
  count(*) filter (where case when r.last_at >= n.before then case when :by_hour
    then r.hours & bits_between(r.hour - n.first + 1, r.hour - n.earlier)
    else r.days & bits_between(r.day - n.first + 1, r.day - n.earlier) end <> 0 end)::int as surfaced_before,
  count(*) filter (where r.created_at < n.stale and (r.last_at is null or r.last_at < n.stale))::int as stale
from numbers n cross join memory_reach r
where r.active and (:project::text is null or r.project = :project)
group by r.project
