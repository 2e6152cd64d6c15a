-- A recall read what its best hits say twice: to weigh the question's words as they are written, and again to show it. What
-- was weighed is shown now, so the passage comes apart from what stands above it, and each with its kind.

drop function found_by_words(
  text[], float8[], text[], integer, integer, float8, bigint, integer, text, timestamptz, boolean, integer, integer,
  boolean, text[], text[]);
drop function recall_passages(text[], text[], integer[], integer, boolean, text[], text[]);
drop function recall_shown(text[], text[], integer[], integer, text[], text[], text, text);

-- What do these passages say? At most most_characters of each item's passage of the number in at_chunks; without a number, or
-- when the passage is gone, of its text. `heading` is the item's title and, above its first passage, its description. What
-- is outside of the projects searched gives no row.
create function recall_passages(
  sought_kinds text[], sought_ids text[], at_chunks integer[], most_characters integer, everywhere boolean,
  in_projects text[], from_projects text[]
) returns table (kind text, id text, heading text, passage text)
language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as
$$
#variable_conflict use_column
begin
  return query
  select f.kind, f.id, concat_ws(chr(10), h.title, case when coalesce(p.place, 0) = 0 then h.description end) as heading,
    substr(h.body, coalesce(p.place, 0) + 1, least(coalesce(p.size, most_characters), most_characters)) as passage
  from unnest(sought_kinds, sought_ids, at_chunks) as f (kind, id, chunk)
    join lateral (
      select m.name as title, m.description, m.body, m.project
      from memories m where f.kind = 'memory' and m.id = f.id
      union all
      select n.title, n.description, n.body, n.project from notes n where f.kind = 'note' and n.id = f.id
      union all
      select t.title, '', t.body, t.project from tasks t where f.kind = 'task' and t.id = f.id
      union all
      select s.name, '', s.findings, s.project from sessions s where f.kind = 'session' and s.id = f.id
      union all
      select r.title, '', concat_ws(chr(10), r.changes, r.expected, r.actual), r.project
      from trials r where f.kind = 'trial' and r.id = f.id
    ) h on everywhere or h.project = any (in_projects)
      or f.kind = 'memory' and h.project = any (from_projects)
    left join passages p on p.kind = f.kind and p.id = f.id and p.chunk = f.chunk;
end
$$;

-- Which items answer best by their words, and what do the first to_read of them say there? See recall_words and
-- recall_passages.
create function found_by_words(
  asked_lexemes text[], asked_weights float8[], sought_kinds text[], most_items integer, small_scope integer,
  pool_size float8, most_candidates bigint, most_words integer, of_memory_kind text, at_time timestamptz,
  explains boolean, to_read integer, most_characters integer, everywhere boolean, in_projects text[], from_projects text[]
) returns table (
  kind text, id text, chunk integer, score float8, share float8, words integer, rarest float8, passages float8,
  lexemes text[], weights float8[], heading text, passage text
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
  select f.kind, f.id, f.chunk, f.score, f.share, f.words, f.rarest, f.passages, f.lexemes, f.weights, s.heading, s.passage
  from found f left join recall_passages(
    array(select kind from first order by nth), array(select id from first order by nth),
    array(select chunk from first order by nth), most_characters, everywhere, in_projects, from_projects
  ) s on s.kind = f.kind and s.id = f.id
  order by f.nth;
end
$$;

-- What do these hits say where they were found, and what became of them since? Of each the beginning of its
-- passage of the number in at_chunks, at most most_characters; without a number, or when the passage is gone,
-- that of its text. A memory that replaced one is named where the caller may read it.
create function recall_shown(
  sought_kinds text[], sought_ids text[], at_chunks integer[], most_characters integer, in_projects text[],
  from_projects text[], of_caller text, of_level text
) returns table (kind text, id text, passage text, ended boolean, replaced boolean, next_name text, next_project text)
language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as
$$
#variable_conflict use_column
begin
  return query
  select f.kind, f.id, substr(h.body, coalesce(p.place, 0) + 1, least(coalesce(p.size, most_characters), most_characters)) as passage,
    h.ended, h.replaced, n.name as next_name, n.project as next_project
  from unnest(sought_kinds, sought_ids, at_chunks) as f (kind, id, chunk)
    join lateral (
      select m.body, m.project, m.invalid_at is not null as ended, m.superseded_by <> '' as replaced, m.superseded_by as next
      from memories m where f.kind = 'memory' and m.id = f.id
      union all
      select n.body, n.project, false, false, '' from notes n where f.kind = 'note' and n.id = f.id
      union all
      select t.body, t.project, false, false, '' from tasks t where f.kind = 'task' and t.id = f.id
      union all
      select s.findings, s.project, false, false, '' from sessions s where f.kind = 'session' and s.id = f.id
      union all
      select concat_ws(chr(10), r.changes, r.expected, r.actual), r.project, false, false, ''
      from trials r where f.kind = 'trial' and r.id = f.id
    ) h on h.project = any (in_projects) or f.kind = 'memory' and h.project = any (from_projects)
    left join passages p on p.kind = f.kind and p.id = f.id and p.chunk = f.chunk
    left join lateral (
      select m.name, m.project from memories m
      where h.next <> '' and m.id = h.next and fence_allows('read', of_caller, of_level, m.project,
        (select isolation from projects where slug = m.project))
    ) n on true;
end
$$;
