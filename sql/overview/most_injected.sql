-- Which :most active memories were put before agents most often since :since? Of two equal ones the older comes first.
-- Only the first :look memories by their whole count are counted. A memory's count since then is at most its whole
-- count, so `enough` says whether no other memory can belong here.
with
  looked as materialized (
    select s.id, m.name, m.project, s.inject_count as bound
    from item_stats s join memories m on m.id = s.id and m.invalid_at is null
    where s.kind = 'memory' and s.inject_count > 0
      and (:since::timestamptz is null or s.last_injected_at >= :since)
    order by s.inject_count desc, s.id limit :look::int
  ),
  counted as materialized (
    select l.id, l.name, l.project, l.bound, case when :since::timestamptz is null then l.bound else (
      select count(*) from event_items i
      where i.item_id = l.id and i.ts >= :since and i.class in ('shown', 'recall', 'prompt')
    ) end::int as count
    from looked l
  ),
  ranked as (
    select *, row_number() over (order by count desc, id) as place from counted where count > 0
  ),
  rest as (select bound, id, (select count(*) from counted) as looked from counted order by bound, id desc limit 1)
select
  coalesce((select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'project', project, 'count', count) order by place)
    from ranked where place <= :most), '[]') as top,
  not exists (
    select from rest r where r.looked = :look and not exists (
      select from ranked k where k.place = :most and (k.count > r.bound or k.count = r.bound and k.id <= r.id)
    )
  ) as enough
