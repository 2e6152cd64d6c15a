-- Which rows does an item need now? Writes the changed passages of one item (chunks and the arrays beside
-- it), removes those that are gone, carries the rest along when project or activity changed, and tells the
-- statistics what came and what went, net: a word that stays is not told. Every write waits for this; as a
-- function it is planned once for a connection.
create function put_passages(
  item_kind text, item_id text, number integer, current boolean, reader smallint, chunks integer[],
  places integer[], sizes integer[], hashes text[], lengths integer[], texts text[], gone integer[]
) returns void language plpgsql as
$$
#variable_conflict error
begin
  with
    incoming as materialized (
      select chunk, place, size, hash, length, words::tsvector as words
      from unnest(chunks, places, sizes, hashes, lengths, texts)
        as i (chunk, place, size, hash, length, words)
    ),
    before as materialized (
      select p.chunk, p.project, p.active, p.length, p.words
      from passages p
      where p.kind = item_kind and p.id = item_id
        and (p.chunk = any (chunks) or p.chunk = any (gone)
          or p.project <> number or p.active <> current)
    ),
    removed as (
      delete from passages where kind = item_kind and id = item_id and chunk = any (gone)
    ),
    carried as (
      update passages set project = number, active = current
      where kind = item_kind and id = item_id and (project <> number or active <> current)
        and chunk <> all (chunks) and chunk <> all (gone)
    ),
    written as (
      insert into passages (kind, id, chunk, project, active, place, size, length, normaliser, hash, words)
      select item_kind, item_id, chunk, number, current, place, size, length, reader, hash, words
      from incoming
      order by chunk
      on conflict (kind, id, chunk) do update set
        (project, active, place, size, length, normaliser, hash, words) = (excluded.project, excluded.active,
          excluded.place, excluded.size, excluded.length, excluded.normaliser, excluded.hash, excluded.words)
    ),
    unvectored as (
      delete from vectors v
      where v.kind = item_kind and v.id = item_id
        and (v.chunk = any (gone)
          or exists (select from incoming i where i.chunk = v.chunk and i.hash <> v.hash))
    ),
    revectored as (
      update vectors v set project = number, active = current
      where v.kind = item_kind and v.id = item_id and (v.project <> number or v.active <> current)
        and v.chunk <> all (gone)
        and not exists (select from incoming i where i.chunk = v.chunk and i.hash <> v.hash)
    ),
    queued as (
      insert into embedding_queue (kind, id)
      select item_kind, item_id
      where exists (
        select from incoming i left join passages p on p.kind = item_kind and p.id = item_id and p.chunk = i.chunk
        where p.hash is distinct from i.hash
      )
      on conflict (kind, id) do update set (queued_at, due_at, tries, error) = (loam_now(), loam_now(), 0, '')
    ),
    unqueued as (
      delete from embedding_queue q
      where q.kind = item_kind and q.id = item_id and cardinality(chunks) = 0
        and not exists (
          select from passages p where p.kind = item_kind and p.id = item_id and p.chunk <> all (gone)
        )
    ),
    counted (project, sign, length, words) as (
      select project, -1, length, words from before where active
      union all
      select number, 1, length, words from incoming where current
      union all
      select number, 1, length, words from before
      where current and chunk <> all (chunks) and chunk <> all (gone)
    ),
    net as (
      select project, lexeme, sum(sign)::smallint as change
      from counted, unnest(tsvector_to_array(words)) as lexeme
      group by project, lexeme
      having sum(sign) <> 0
    )
  insert into passage_changes (project, passages, length, lexemes, changes)
  select c.project, sum(c.sign), sum(c.sign * c.length),
    coalesce((select array_agg(lexeme order by lexeme) from net n where n.project = c.project), '{}'),
    coalesce((select array_agg(change order by lexeme) from net n where n.project = c.project), '{}')
  from counted c
  group by c.project;
end
$$;
