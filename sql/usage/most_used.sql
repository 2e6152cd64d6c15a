-- Which :most active memories did agents see most often, and which did they ask for most? The counts cover
-- agents in projects that the caller may read. Of two equal memories the older comes first. The query counts
-- only the first :look memories by the use of all agents. A memory's readable use is at most its whole use,
-- so `enough` says whether no other memory can belong here.
with
  shown as materialized (
    select s.id, m.name, s.inject_count::bigint as bound
    from item_stats s join memories m on m.id = s.id and m.invalid_at is null
      left join projects p on p.slug = m.project
    where s.kind = 'memory' and s.inject_count > 0
      and fence_allows('read', :caller, :level, m.project, p.isolation)
    order by s.inject_count desc, s.id limit :look::int
  ),
  wanted as materialized (
    select s.id, m.name, demand_rank(s.read_raw + s.recall_raw + s.prompt_raw, s.as_of) as bound
    from item_stats s join memories m on m.id = s.id and m.invalid_at is null
      left join projects p on p.slug = m.project
    where s.kind = 'memory' and s.read_raw + s.recall_raw + s.prompt_raw > 0
      and fence_allows('read', :caller, :level, m.project, p.isolation)
    order by demand_rank(s.read_raw + s.recall_raw + s.prompt_raw, s.as_of) desc, s.id limit :look::int
  ),
  looked as (
    select 'injected' as by, * from shown union all select 'utility', * from wanted
  ),
  counted as materialized (
    select l.by, l.id, l.name, l.bound, u.count, u.raw,
      case l.by when 'injected' then u.count
        else case when u.raw > 0 then demand_rank(u.raw, now.at) end end as measure
    from (select loam_now() as at) now, looked l cross join lateral (
      select coalesce(sum(u.times) filter (where u.surface <> 'read'), 0)::int as count,
        coalesce(sum(u.raw * demand_left(now.at - u.as_of)), 0) as raw
      from item_uses u left join projects p on p.slug = u.project
      where u.id = l.id and u.kind = 'memory'
        and fence_allows('read', :caller, :level, u.project, p.isolation)
    ) u
  ),
  ranked as (
    select *, row_number() over (partition by by order by measure desc, id) as place
    from counted where measure > 0 or by = 'utility' and measure is not null
  ),
  rest as (
    select distinct on (by) by, bound, id, count(*) over (partition by by) as looked
    from counted order by by, bound, id desc
  )
select
  coalesce((
    select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'count', count) order by place)
    from ranked where by = 'injected' and place <= :most
  ), '[]') as injected,
  coalesce((
    select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'score', round((raw / (raw + 4))::numeric, 2)) order by place)
    from ranked where by = 'utility' and place <= :most and round((raw / (raw + 4))::numeric, 2) > 0
  ), '[]') as utility,
  not exists (
    select from rest r where r.looked = :look and not exists (
      select from ranked k
      where k.by = r.by and k.place = :most and (k.measure > r.bound or k.measure = r.bound and k.id <= r.id)
    )
  ) as enough
