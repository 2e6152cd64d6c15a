-- Which :most active memories were put before agents most often since :since? Of two equal ones the older comes first.
-- Only the first :look memories by their whole count are counted. A memory's count since then is at most its whole
-- count, so `enough` says whether no other memory can belong here.
with
  looked as materialized (
    select r.id, r.number, r.times as bound
    from memory_reach r
    where r.active and r.times > 0 and (:since::timestamptz is null or r.last_at >= :since)
    order by r.times desc, r.id limit :look::int
  ),
  counted as materialized (
    select id, bound, case when :since::timestamptz is null then bound else memory_shown(number, id, :since, :zone) end as count
    from looked
  ),
  ranked as (
    select id, count, row_number() over (order by count desc, id) as place from counted where count > 0
  ),
  rest as (select bound, id, (select count(*) from counted) as looked from counted order by bound, id desc limit 1)
select
  coalesce((
    select jsonb_agg(jsonb_build_object('id', k.id, 'name', m.name, 'project', m.project, 'count', k.count) order by place)
    from ranked k join memories m on m.id = k.id where place <= :most
  ), '[]') as top,
  not exists (
    select from rest r where r.looked = :look and not exists (
      select from ranked k where k.place = :most and (k.count > r.bound or k.count = r.bound and k.id <= r.id)
    )
  ) as enough
