-- Which memories does a briefing of :searched show? Each part has its own order, its limit and its total.
--
-- The order is `(1 - :weight) × recency + :weight × utility`, recency halves in 14 days. Without
-- weight the newest comes first. Starred conventions come before others. Of constraints the starred come
-- first, then those that a recent mishap of :project named, the latest first. The most demanded memories can
-- be of any age, so the query reads them beside the newest :most. A stage that is done does not appear, and
-- one without a state appears for :stage_days. The index leaves out memories older than :index_days. The
-- query returns the first :indexed and :conventions of the long parts. It returns the constraints and stages
-- whose names fit in :room bytes, and describes the first :full constraints.
--
-- An index holds all columns of the order. The query reads rows only for its result.
with
  now as materialized (select loam_now() as at),
  starred as materialized (
    select id, kind, updated_at from memories
    where invalid_at is null and project = any (:searched::text[]) and favorite and kind not in ('constraint', 'stage')
  ),
  newest as (
    select newest.id, newest.part, newest.updated_at
    from unnest(:searched::text[]) as s (project),
      lateral (
        (
          select m.id, 'index' as part, m.updated_at from memories m
          where m.project = s.project and m.invalid_at is null
            and m.kind not in ('constraint', 'convention', 'stage')
          order by m.updated_at desc, m.id desc
          limit :most::int
        )
        union all
        (
          select m.id, 'convention', m.updated_at from memories m
          where m.project = s.project and m.kind = 'convention' and m.invalid_at is null
          order by m.updated_at desc, m.id desc
          limit :most::int
        )
      ) newest
  ),
  demanded as (
    select m.id, m.part, m.updated_at
    from now, item_stats s join (
        select id, 'index' as part, updated_at from memories
        where invalid_at is null and kind not in ('constraint', 'convention', 'stage') and project = any (:searched::text[])
        union all
        select id, 'convention', updated_at from memories
        where invalid_at is null and kind = 'convention' and project = any (:searched::text[])
      ) m on m.id = s.id
    where :weight::float8 > 0 and s.kind = 'memory'
    order by (s.read_raw + s.recall_raw + s.prompt_raw)
      * power(2, (date_part('epoch', s.as_of) - date_part('epoch', now.at)) / 1209600) desc
    limit :most::int
  ),
  found (id, part, favorite, updated_at, name, stage_status) as (
    select id, kind, favorite, updated_at, name, stage_status from memories
    where invalid_at is null and project = any (:searched::text[]) and kind in ('constraint', 'stage')
    union all
    select id, case when kind = 'convention' then kind else 'starred' end, true, updated_at, '', '' from starred
    union all
    select id, part, false, updated_at, '', ''
    from (select * from newest union select * from demanded) f
    where id not in (select id from starred)
  ),
  mishaps as (
    select i.item_id as id, max(e.ts) as at
    from now, events_acts e join event_items_acts i on i.event_id = e.id and i.class = 'mishap'
    where e.kind = 'agent.mishap' and e.project = :project and e.ts >= now.at - interval '30 days'
    group by i.item_id
  ),
  keyed as (
    select found.*,
      case when :tiered::boolean and part = 'constraint' then x.at end as mishap_at,
      case when :weight::float8 > 0 and part <> 'stage' and (part <> 'constraint' or :tiered::boolean) then
        (1 - :weight::float8) * power(2, -greatest(extract(epoch from now.at - updated_at), 0)::float8 / 1209600)
          + :weight::float8 * coalesce(d.raw / (d.raw + 4), 0)
      end as key
    from now, found
      left join mishaps x on x.id = found.id
      left join item_stats s on :weight::float8 > 0 and s.kind = 'memory' and s.id = found.id,
      lateral (select (s.read_raw + s.recall_raw + s.prompt_raw) * demand_left(now.at - s.as_of) as raw) d
    where case part
      when 'stage' then stage_status in ('open', 'in_progress', 'blocked')
        or stage_status <> 'done' and (:stage_days::int = 0 or updated_at >= now.at - make_interval(days => :stage_days::int))
      when 'index' then :index_days::int = 0 or updated_at >= now.at - make_interval(days => :index_days::int)
      else true
    end
  ),
  placed as (
    select id, part, favorite, row_number() over ordered::int as place,
      count(*) over (partition by part)::int as of,
      -- The least room of the names before it, in a line that cuts long ones.
      sum(least(length(name), 40) + 2) over (ordered rows unbounded preceding) - least(length(name), 40) - 2 as taken
    from keyed
    window ordered as (
      partition by part
      order by
        part = 'convention' and favorite desc,
        part = 'constraint' and :tiered::boolean and favorite desc,
        mishap_at desc nulls last,
        key desc nulls last,
        updated_at desc,
        id desc
    )
  )
select k.part, k.id, m.project, m.name, m.kind, extract(epoch from now.at - m.updated_at)::float8 as age, m.favorite, m.stage_status, m.stage_gate, k.of,
  case when k.part <> 'constraint' or :full::int = 0 or k.place <= :full::int then m.description else '' end as description
from now, placed k, lateral (select * from memories m where m.id = k.id offset 0) m
where case k.part
  when 'constraint' then k.taken < :room::int
  when 'stage' then k.taken < :room::int
  when 'convention' then k.place <= :most::int and (k.favorite or k.place <= :conventions::int)
  when 'index' then k.place <= :indexed::int
  else true
end
order by k.part, k.place
