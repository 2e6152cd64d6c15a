-- What does the context of :whose agent hold at its beginning? These memories and nothing else; with :whole its
-- subagents begin anew too.
with
  gone as (
    delete from told
    where session = :whose::uuid and (:whole::boolean or agent = '') and not (agent = '' and item = any (:ids::text[]))
  )
insert into told (session, agent, item, version)
select :whose::uuid, '', m.id, told_version(m)
from memories m
where m.id = any (:ids::text[])
order by m.id
on conflict (session, agent, item) do update set (version, at) = (excluded.version, loam_now())
