-- Writes that share a transaction ask what they must know with one statement, and write their rows with one.

-- What must be known of a path before a document is written there: the fence between its project and the caller, the
-- project's number, and the document that owns the path by its row. In the order in which it was asked.
create function write_ground(
  tables text[], paths text[], targets text[], callers text[], levels text[]
) returns table (
  isolation text, registered boolean, readable boolean, writable boolean, addable boolean, number integer, owner text
) language plpgsql stable as
$$
begin
  return query
  select coalesce(p.isolation, 'open'), p.slug is not null,
    fence_allows('read', a.caller, a.level, a.target, p.isolation),
    fence_allows('write', a.caller, a.level, a.target, p.isolation),
    fence_allows('add', a.caller, a.level, a.target, p.isolation),
    case when a.target = '' then 0 else p.number end,
    case a.of_table when 'memories' then (select m.id from memories m where m.path = a.path)
      else (select n.id from notes n where n.path = a.path) end
  from unnest(tables, paths, targets, callers, levels) with ordinality as a (of_table, path, target, caller, level, nth)
    left join projects p on p.slug = a.target
  order by a.nth;
end
$$;

-- Brings the rows of memories, and their links, in line with their files. Sorted, so that two of these never deadlock.
create function put_memories(written jsonb, linked jsonb) returns void language plpgsql as
$$
begin
  insert into memories as known
  select * from jsonb_populate_recordset(null::memories, written) m order by m.id
  on conflict (id) do update set
    (project, name, kind, description, body, tags, stage_status, stage_gate, valid_from, invalid_at, superseded_by,
      source_session, model, favorite, path, content_hash, created_at, updated_at, heading, uncut)
    = (excluded.project, excluded.name, excluded.kind, excluded.description, excluded.body, excluded.tags,
      excluded.stage_status, excluded.stage_gate, excluded.valid_from, excluded.invalid_at, excluded.superseded_by,
      excluded.source_session, excluded.model, excluded.favorite, excluded.path, excluded.content_hash,
      excluded.created_at, excluded.updated_at, excluded.heading, excluded.uncut);
  delete from links
  where source_kind = 'memory'
    and source_id in (select w ->> 'id' from jsonb_array_elements(written) w);
  if jsonb_array_length(linked) > 0 then
    insert into links (source_kind, source_id, name, project)
    select 'memory', l.source_id, l.name, l.project
    from jsonb_to_recordset(linked) as l (source_id text, name text, project text);
  end if;
end
$$;

-- The one passage of items that had none: what put_passages does of an item, of all of them at once.
create function put_first_passages(
  kinds text[], ids text[], numbers integer[], actives boolean[], reader smallint,
  places integer[], sizes integer[], hashes text[], lengths integer[], texts text[]
) returns void language plpgsql as
$$
begin
  insert into passages (kind, id, chunk, project, active, place, size, length, normaliser, hash, words)
  select i.kind, i.id, 0, i.number, i.active, i.place, i.size, i.length, reader, i.hash, i.words::tsvector
  from unnest(kinds, ids, numbers, actives, places, sizes, hashes, lengths, texts)
    as i (kind, id, number, active, place, size, hash, length, words)
  order by i.kind, i.id;
  insert into embedding_queue (kind, id)
  select i.kind, i.id from unnest(kinds, ids) as i (kind, id) order by i.kind, i.id
  on conflict (kind, id) do update set (queued_at, due_at, tries, error) = (loam_now(), loam_now(), 0, '');
  insert into passage_changes (project, passages, length, lexemes, changes)
  select i.number, 1, i.length, lexemes, array_fill(1::smallint, array[cardinality(lexemes)])
  from unnest(numbers, actives, lengths, texts) as i (number, active, length, words),
    lateral (select tsvector_to_array(i.words::tsvector) as lexemes) w
  where i.active;
end
$$;
