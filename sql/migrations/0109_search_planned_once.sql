-- What stands around the functions of the search was planned anew for each search: on a server that took a quarter of a
-- millisecond of processor time, and as much again to read its text.

-- Which items answer best by their words, and what do the first to_read of them say there? See recall_words and
-- recall_passages.
create function found_by_words(
  asked_lexemes text[], asked_weights float8[], sought_kinds text[], most_items integer, small_scope integer,
  pool_size float8, most_candidates bigint, most_words integer, of_memory_kind text, at_time timestamptz,
  explains boolean, to_read integer, most_characters integer, everywhere boolean, in_projects text[], from_projects text[]
) returns table (
  kind text, id text, chunk integer, score float8, share float8, words integer, rarest float8, passages float8,
  lexemes text[], weights float8[], said text
) language plpgsql volatile set plan_cache_mode = force_generic_plan as
$$
#variable_conflict use_column
begin
  return query
  with
    found as materialized (
      select *, row_number() over () as nth
      from recall_words(asked_lexemes, asked_weights, sought_kinds, most_items, small_scope, pool_size, most_candidates,
        most_words, of_memory_kind, at_time, explains, in_projects, from_projects, everywhere)
    ),
    first as materialized (select * from found where nth <= to_read)
  select f.kind, f.id, f.chunk, f.score, f.share, f.words, f.rarest, f.passages, f.lexemes, f.weights, s.said
  from found f left join (
    -- A file that was copied by hand has the id of another: each hit stays one row.
    select id, max(said) as said
    from recall_passages(
      array(select kind from first order by nth), array(select id from first order by nth),
      array(select chunk from first order by nth), most_characters, everywhere, in_projects, from_projects)
    group by id
  ) s on s.id = f.id
  order by f.nth;
end
$$;

-- What does a result show of each item, and of the memories that `linking` link to? `nth` says of a linked one which of
-- these is the first to do so, `place` in which order they follow. See recall_items and recall_links.
create function items_and_links(
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
    linked as materialized (
      select id, nth, row_number() over ()::int as place
      from recall_links(linking, in_projects, from_projects, at_time)
    ),
    wanted as materialized (
      select * from unnest(sought_kinds, sought_ids) as w (kind, id)
      union all
      select 'memory', id from linked where id <> all (sought_ids)
    )
  select i.*, l.nth, l.place
  from recall_items(array(select kind from wanted), array(select id from wanted), everywhere, in_projects, from_projects) i
    left join linked l on i.kind = 'memory' and l.id = i.id;
end
$$;
