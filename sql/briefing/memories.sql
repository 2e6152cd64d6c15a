-- Which memories does a briefing of :searched show? Each part of it in its order, the first :most of
-- the long ones, and of each part how many there are.
--
-- The order is `(1 - :weight) × recency + :weight × utility`, recency halving in 14 days; without
-- weight it is the newest first. Starred conventions come before the others, and of constraints the
-- starred, then those that a mishap of :project named lately, the latest first. What is asked for
-- most may stand anywhere by its age, so it is looked at beside the newest. A stage that is done is told
-- no more, one whose state nobody knows for :stage_days; the index leaves out what is older than
-- :index_days.
with
  now as materialized (select loam_now() as at),
  found as (
    select id from memories
    where invalid_at is null and project = any (:searched::text[]) and kind in ('constraint', 'stage')
    union
    select id from memories
    where invalid_at is null and project = any (:searched::text[]) and favorite
    union
    select newest.id
    from unnest(:searched::text[]) as s (project),
      lateral (
        select m.id from memories m
        where m.project = s.project and m.invalid_at is null
          and m.kind not in ('constraint', 'convention', 'stage')
        order by m.updated_at desc, m.id desc
        limit :most::int
      ) newest
    union
    select newest.id
    from unnest(:searched::text[]) as s (project),
      lateral (
        select m.id from memories m
        where m.project = s.project and m.kind = 'convention' and m.invalid_at is null
        order by m.updated_at desc, m.id desc
        limit :most::int
      ) newest
    union
    (
      select s.id
      from now, item_stats s join (
          select id from memories
          where invalid_at is null and kind not in ('constraint', 'convention', 'stage') and project = any (:searched::text[])
          union all
          select id from memories
          where invalid_at is null and kind = 'convention' and project = any (:searched::text[])
        ) m on m.id = s.id
      where :weight::float8 > 0 and s.kind = 'memory'
      order by (s.read_raw + s.recall_raw + s.prompt_raw)
        * power(2, (date_part('epoch', s.as_of) - date_part('epoch', now.at)) / 1209600) desc
      limit :most::int
    )
  ),
  mishaps as (
    select i.item_id as id, max(e.ts) as at
    from now, events_acts e join event_items_acts i on i.event_id = e.id and i.class = 'mishap'
    where e.kind = 'agent.mishap' and e.project = :project and e.ts >= now.at - interval '30 days'
    group by i.item_id
  ),
  parted as materialized (
    select m.id, m.project, m.name, m.kind, m.description, m.favorite, m.updated_at,
      m.stage_status, m.stage_gate,
      case
        when m.kind in ('constraint', 'stage', 'convention') then m.kind
        when m.favorite then 'starred'
        else 'index'
      end as part,
      case when :tiered::boolean and m.kind = 'constraint' then x.at end as mishap_at,
      case when :weight::float8 > 0 and m.kind <> 'stage' and (m.kind <> 'constraint' or :tiered::boolean) then
        (1 - :weight::float8) * power(2, -greatest(extract(epoch from now.at - m.updated_at), 0)::float8 / 1209600)
          + :weight::float8 * coalesce(d.raw / (d.raw + 4), 0)
      end as key
    from now, found
      join memories m on m.id = found.id
      left join mishaps x on x.id = m.id
      left join item_stats s on :weight::float8 > 0 and s.kind = 'memory' and s.id = m.id,
      lateral (select (s.read_raw + s.recall_raw + s.prompt_raw) * demand_left(now.at - s.as_of) as raw) d
  ),
  kept as (
    select parted.*,
      row_number() over (
        partition by part
        order by
          part = 'convention' and favorite desc,
          part = 'constraint' and :tiered::boolean and favorite desc,
          mishap_at desc nulls last,
          key desc nulls last,
          updated_at desc,
          id desc
      )::int as place
    from now, parted
    where case part
      when 'stage' then stage_status in ('open', 'in_progress', 'blocked')
        or stage_status <> 'done' and (:stage_days::int = 0 or updated_at >= now.at - make_interval(days => :stage_days::int))
      when 'index' then :index_days::int = 0 or updated_at >= now.at - make_interval(days => :index_days::int)
      else true
    end
  )
select k.part, k.id, k.project, k.name, k.description, k.favorite, k.stage_status, k.stage_gate
from kept k
where k.part not in ('convention', 'index') or k.place <= :most::int
order by k.part, k.place
