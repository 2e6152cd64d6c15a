-- What became of the memories since :since? By project and kind: how many are active; how many of these were put before
-- agents, how many in the window before (by whole hours or days, as they are kept), how many at a start, and how many were
-- asked for; how often they were shown, and how many tokens those took which nobody asked for in :days days; and how many
-- were written since then, and ended. Then those shown most often, :most of them; and those shown at a start though nobody
-- asked for them in :days days, of a kind that is not :exempt: :dead of them, the ones shown most often first, and how many
-- there are. Of two equal ones the older comes first.
with
  numbers as materialized (
    select case when :by_hour then hour_number(:since, :zone) else day_number(:since, :zone) end as first,
      case when :by_hour then hour_number(:before, :zone) else day_number(:before, :zone) end as earlier,
      coalesce(:since, '-infinity') as begins, coalesce(:before, '-infinity') as before,
      loam_now() - :days * interval '1 day' as wanted
  ),
  memory as materialized (
    select r.id, r.project, r.kind, r.active, r.created_at, r.ended_at,
      r.last_at >= n.begins as surfaced,
      case when r.last_at >= n.before then
        case when :by_hour then r.hours & bits_between(r.hour - n.first + 1, r.hour - n.earlier)
          else r.days & bits_between(r.day - n.first + 1, r.day - n.earlier) end <> 0 end as surfaced_before,
      r.briefed_at >= n.begins as briefed, r.wanted_at >= n.begins as asked,
      r.wanted_at is null or r.wanted_at < n.wanted as unwanted,
      w.times, w.tokens, w.briefed as briefings, w.sessions
    from numbers n cross join memory_reach r left join memories_shown(:since) w on w.memory = r.number
  ),
  scopes as (
    select project, kind, count(*) filter (where active)::int as active,
      count(*) filter (where active and surfaced)::int as surfaced,
      count(*) filter (where active and surfaced_before)::int as surfaced_before,
      count(*) filter (where active and briefed)::int as briefed,
      count(*) filter (where active and briefed and asked)::int as demanded,
      count(*) filter (where active and asked)::int as asked,
      coalesce(sum(times::float8) filter (where active), 0) as injections,
      coalesce(sum(tokens) filter (where active and unwanted), 0) as wasted,
      count(*) filter (where created_at >= (select begins from numbers))::int as created,
      count(*) filter (where ended_at >= (select begins from numbers))::int as retired
    from memory group by project, kind
  ),
  top as (
    select id, times, sessions from memory where active and times > 0 order by times desc, id limit :most
  ),
  dead as (
    select id, briefings, count(*) over ()::int as total
    from memory where active and briefed and unwanted and kind <> all(:exempt::text[])
    order by briefings desc, id limit :dead
  )
select
  coalesce((select jsonb_agg(to_jsonb(s)) from scopes s), '[]') as scopes,
  coalesce((
    select jsonb_agg(jsonb_build_object('id', id, 'injects', times, 'sessions', sessions) order by times desc, id) from top
  ), '[]') as top,
  coalesce((select jsonb_agg(jsonb_build_object('id', id, 'injects', briefings) order by briefings desc, id) from dead), '[]') as dead,
  coalesce((select max(total) from dead), 0) as dead_total
