-- Which memory was of most use in :days days? By what its demand there is worth now, each way of asking once for a
-- session; then by its reads, then by name. Only the first :look active memories by their whole demand are looked at.
-- What was gained in the span is at most that, so `enough` says whether no other one can be first.
with
  at as (select loam_now() as now, loam_now() - :days * interval '1 day' as since),
  looked as materialized (
    select m.id, m.name, m.kind, m.project, m.description,
      (s.read_raw + s.recall_raw + s.prompt_raw) * demand_left(at.now - s.as_of) as bound
    from at cross join item_stats s join memories m on m.id = s.id and m.invalid_at is null
    where s.kind = 'memory' and s.read_raw + s.recall_raw + s.prompt_raw > 0
    order by demand_rank(s.read_raw + s.recall_raw + s.prompt_raw, s.as_of) desc, s.id limit :look::int
  ),
  asked as (
    select l.id, i.class, i.ts, coalesce(demand_session(e.session_id, e.payload), i.event_id) as session
    from at cross join looked l
    join event_items i on i.item_id = l.id and i.ts >= at.since and i.class in ('read', 'recall', 'prompt')
    join events_acts e on e.id = i.event_id
    left join sessions s on s.id = e.session_id
    where is_heard(coalesce(s.project, e.project), l.project)
  ),
  gained as (
    select a.id, sum(demand_weight(a.class) * demand_left(at.now - a.ts)) as gained, sum(a.times) filter (where a.class = 'read') as reads,
      count(distinct a.session) filter (where a.class = 'read') as readers, count(distinct a.session) as sessions
    from at cross join (
      select id, class, session, min(ts) as ts, count(*) as times from asked group by id, class, session
    ) a
    group by a.id
  ),
  first as (
    select l.id, l.name, l.kind, l.project, l.description, g.gained, coalesce(g.reads, 0)::int as reads, g.readers::int as readers,
      g.sessions::int as sessions
    from gained g join looked l using (id)
    order by g.gained desc, g.reads desc nulls last, l.name limit 1
  )
select f.*, f.gained / (f.gained + 4) as utility,
  (select count(*) from at, event_items i
    where i.item_id = f.id and i.ts >= at.since and i.class in ('shown', 'recall', 'prompt'))::int as injects,
  -- Within a hundredth of a half-life the order by rank does not tell two apart.
  (select count(*) < :look from looked) or f.gained >= 1.01 * (select min(bound) from looked) as enough
from (select 1) one left join first f on true
