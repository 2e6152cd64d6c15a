-- What stands of an item: its passages, whether it waits for the background, and the number of a project.
select
  coalesce((
    select json_agg(json_build_object('chunk', p.chunk, 'hash', p.hash, 'normaliser', p.normaliser) order by p.chunk)
    from passages p where p.kind = :kind and p.id = :id
  ), '[]') as stored,
  case when :project = '' then 0 else (select number from projects where slug = :project) end as project,
  exists (select from passage_queue q where q.kind = :kind and q.id = :id) as queued
