-- Queues, of the next :limit items after (:kind, :id), those that lack a vector of the model; all of
-- them when vectors are to be made again. They come after everything that is written meanwhile, but for
-- those that wait already: what another model could not read of them is forgotten, and they are due, if
-- only to be seen to lack nothing. Tells the last item looked at.
with
  next as materialized (
    select distinct p.kind, p.id
    from passages p
    where (p.kind, p.id) > (:kind, :id)
    order by p.kind, p.id
    limit :limit
  ),
  filled as (
    insert into embedding_queue (kind, id, due_at, older_than)
    select n.kind, n.id, '2000-01-01', :older_than::timestamptz
    from next n
    where :older_than::timestamptz is not null or exists (
      select from passages p left join vectors v on v.kind = p.kind and v.id = p.id and v.chunk = p.chunk
        and v.model = :model::smallint
      where p.kind = n.kind and p.id = n.id
        and v.hash is distinct from p.hash
    ) or exists (select from embedding_queue q where q.kind = n.kind and q.id = n.id)
    order by n.kind, n.id
    on conflict (kind, id) do update
      set (older_than, tries, error, due_at) = (
        coalesce(excluded.older_than, embedding_queue.older_than), 0, '', least(embedding_queue.due_at, loam_now())
      )
  )
select kind, id from next order by kind desc, id desc limit 1
