-- How many active memories has each project, how many of them were put before an agent since :since, and how many
-- in the window before? The latter by whole hours or days, as they are kept. And how many go stale: they are older
-- than :stale days, and no agent was shown them for as long?
with numbers as materialized (
  select case when :by_hour then hour_number(:since, :zone) else day_number(:since, :zone) end as first,
    case when :by_hour then hour_number(:before, :zone) else day_number(:before, :zone) end as earlier,
    loam_now() - :stale * interval '1 day' as stale
)
select m.project, count(*)::int as active,
  count(*) filter (where :since::timestamptz is null and l.key is not null or l.last_at >= :since)::int as surfaced,
  count(*) filter (where l.key is not null and case when :by_hour
    then l.hours & bits_between(l.hour - n.first + 1, l.hour - n.earlier)
    else l.days & bits_between(l.day - n.first + 1, l.day - n.earlier) end <> 0)::int as surfaced_before,
  count(*) filter (where m.created_at < n.stale and (l.key is null or l.last_at < n.stale))::int as stale
from numbers n cross join memories m left join shown_lately l on l.what = 'memory' and l.key = m.id
where m.invalid_at is null
group by m.project
