-- What stands of each of these items, in their order: its passages, whether it waits for the background, and the number of a project.
select
  coalesce((
    select json_agg(json_build_object('chunk', p.chunk, 'project', p.project, 'active', p.active, 'place', p.place,
      'hash', p.hash, 'normaliser', p.normaliser) order by p.chunk)
    from passages p where p.kind = i.kind and p.id = i.id
  ), '[]') as stored,
  case when i.project = '' then 0 else (select number from projects where slug = i.project) end as project,
  exists (select from passage_queue q where q.kind = i.kind and q.id = i.id) as queued
from unnest(:kinds::text[], :ids::text[], :projects::text[]) with ordinality as i (kind, id, project, nth)
order by i.nth
