-- Which rows does an item need now? Writes the changed passages of one item (:chunks and the arrays
-- beside it), removes :gone, carries the rest along when project or activity changed, and tells the
-- statistics what came and what went, net: a word that stays is not told.
with
  incoming as materialized (
    select chunk, place, size, hash, length, words::tsvector as words
    from unnest(:chunks::int[], :places::int[], :sizes::int[], :hashes::text[], :lengths::int[], :words::text[])
      as i (chunk, place, size, hash, length, words)
  ),
  before as materialized (
    select p.chunk, p.project, p.active, p.length, p.words
    from passages p
    where p.kind = :kind and p.id = :id
      and (p.chunk = any (:chunks::int[]) or p.chunk = any (:gone::int[])
        or p.project <> :project::int or p.active <> :active::boolean)
  ),
  removed as (
    delete from passages where kind = :kind and id = :id and chunk = any (:gone::int[])
  ),
  carried as (
    update passages set project = :project::int, active = :active::boolean
    where kind = :kind and id = :id and (project <> :project::int or active <> :active::boolean)
      and chunk <> all (:chunks::int[]) and chunk <> all (:gone::int[])
  ),
  written as (
    insert into passages (kind, id, chunk, project, active, place, size, length, normaliser, hash, words)
    select :kind, :id, chunk, :project::int, :active::boolean, place, size, length, :normaliser::smallint, hash, words
    from incoming
    order by chunk
    on conflict (kind, id, chunk) do update set
      (project, active, place, size, length, normaliser, hash, words) = (excluded.project, excluded.active,
        excluded.place, excluded.size, excluded.length, excluded.normaliser, excluded.hash, excluded.words)
  ),
  unvectored as (
    delete from vectors v
    where v.kind = :kind and v.id = :id
      and (v.chunk = any (:gone::int[])
        or exists (select from incoming i where i.chunk = v.chunk and i.hash <> v.hash))
  ),
  revectored as (
    update vectors v set project = :project::int, active = :active::boolean
    where v.kind = :kind and v.id = :id and (v.project <> :project::int or v.active <> :active::boolean)
      and v.chunk <> all (:gone::int[])
      and not exists (select from incoming i where i.chunk = v.chunk and i.hash <> v.hash)
  ),
  queued as (
    insert into embedding_queue (kind, id)
    select :kind, :id
    where exists (
      select from incoming i left join passages p on p.kind = :kind and p.id = :id and p.chunk = i.chunk
      where p.hash is distinct from i.hash
    )
    on conflict (kind, id) do update set (queued_at, due_at, tries, error) = (loam_now(), loam_now(), 0, '')
  ),
  unqueued as (
    delete from embedding_queue q
    where q.kind = :kind and q.id = :id and cardinality(:chunks::int[]) = 0
      and not exists (
        select from passages p where p.kind = :kind and p.id = :id and p.chunk <> all (:gone::int[])
      )
  ),
  counted (project, sign, length, words) as (
    select project, -1, length, words from before where active
    union all
    select :project::int, 1, length, words from incoming where :active::boolean
    union all
    select :project::int, 1, length, words from before
    where :active::boolean and chunk <> all (:chunks::int[]) and chunk <> all (:gone::int[])
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
group by c.project
