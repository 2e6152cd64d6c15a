-- A function that reads tables becomes part of the plan that asks it only where it stands as a table. As a value it was run by
-- itself for each item, which took a search that shows 40 items five times as long as all else of them. What it is given must not
-- be volatile: `now.at` and not loam_now().

drop function used(text, text, timestamptz);

-- How much an item was used, from 0 to below 1: each session that was shown it and then read it counts as a read does,
-- its last read. Fifty say as much as more would. What a session behind a fence reads counts for what lies there alone.
create function used(item_kind text, item text, at timestamptz) returns table (utility float8)
language sql stable parallel safe as
$$
  select coalesce(raw / (raw + 4), 0)
  from (
    select sum(demand_weight('read') * demand_left(at - r.read_at)) as raw
    from (
      select i.read_at
      from session_items i
        join sessions s on s.id = i.session_id
        left join projects f on f.slug = s.project
      where i.item_id = item and i.read_at is not null and i.shown_at <= i.read_at
        and (s.project = '' or fence_allows('read', '', 'open', f.slug, f.isolation) or exists (
          select from passages p where p.kind = item_kind and p.id = item and p.project = f.number
        ))
      order by i.read_at desc
      limit 50
    ) r
  ) sums
$$;

-- What does a result show of each item, and how much was it used? An item that is gone, or outside
-- of the projects searched, gives no row. `age` is in seconds.
create or replace function recall_items(
  sought_kinds text[], sought_ids text[], everywhere boolean, in_projects text[], from_projects text[]
) returns table (
  kind text, id text, name text, title text, description text, project text, favorite boolean, status text,
  changed_at timestamptz, age float8, utility float8
) language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as
$$
#variable_conflict use_column
begin
  return query
  select f.kind, f.id, h.name, h.title, h.description, h.project, h.favorite, h.status, h.changed_at,
    extract(epoch from now.at - h.changed_at)::float8 as age, u.utility
  from (select loam_now() as at) now,
    unnest(sought_kinds, sought_ids) as f (kind, id)
    join lateral (
      select m.name, m.name as title, m.description, m.project, m.favorite, '' as status, m.updated_at as changed_at
      from memories m where f.kind = 'memory' and m.id = f.id
      union all
      select n.slug, n.title, n.description, n.project, n.favorite, '', n.updated_at
      from notes n where f.kind = 'note' and n.id = f.id
      union all
      select t.plan, t.title, left(t.body, 1000), t.project, t.favorite, t.status, t.updated_at
      from tasks t where f.kind = 'task' and t.id = f.id
      union all
      select s.name, s.name, left(s.findings, 1000), s.project, false, s.status, s.updated_at
      from sessions s where f.kind = 'session' and s.id = f.id
      union all
      select r.lab, r.title, left(r.actual, 1000), r.project, r.favorite, r.outcome, r.created_at
      from trials r where f.kind = 'trial' and r.id = f.id
    ) h on everywhere or h.project = any (in_projects)
      or f.kind = 'memory' and h.project = any (from_projects)
    cross join lateral used(f.kind, f.id, now.at) u;
end
$$;
