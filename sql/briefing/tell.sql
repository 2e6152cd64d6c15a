-- These memories were shown to :whose agent.
insert into told (session, agent, item, version)
select :whose::uuid, :agent, m.id, told_version(m)
from memories m
where m.id = any (:ids::text[])
order by m.id
on conflict (session, agent, item) do update set (version, at) = (excluded.version, loam_now())
where told.version <> excluded.version
