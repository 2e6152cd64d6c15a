-- A memory that was linked to did not come along where an item of another kind, which was found, has its id: a file that was
-- copied by hand has the id of another.

-- What does a result show of each item, and of the memories that `linking` link to? `nth` says of a linked one which of
-- these is the first to do so, `place` in which order they follow. See recall_items and recall_links.
create or replace function items_and_links(
  sought_kinds text[], sought_ids text[], linking text[], at_time timestamptz, everywhere boolean, in_projects text[],
  from_projects text[]
) returns table (
  kind text, id text, name text, title text, description text, project text, favorite boolean, status text,
  changed_at timestamptz, age float8, utility float8, nth integer, place integer
) language plpgsql volatile set plan_cache_mode = force_generic_plan as
$$
#variable_conflict use_column
begin
  return query
  with
    sought as materialized (select * from unnest(sought_kinds, sought_ids) as w (kind, id)),
    linked as materialized (
      select id, nth, row_number() over ()::int as place
      from recall_links(linking, in_projects, from_projects, at_time)
    ),
    wanted as materialized (
      select * from sought
      union all
      select 'memory', id from linked where id not in (select id from sought where kind = 'memory')
    )
  select i.*, l.nth, l.place
  from recall_items(array(select kind from wanted), array(select id from wanted), everywhere, in_projects, from_projects) i
    left join linked l on i.kind = 'memory' and l.id = i.id;
end
$$;
