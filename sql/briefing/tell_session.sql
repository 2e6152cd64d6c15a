-- These memories were shown to the agent of :session.
insert into told (session, agent, item, version)
select told_session(s.external_client, s.client_session_id, s.id), '', m.id, told_version(m)
from sessions s, memories m
where s.id = :session and m.id = any (:ids::text[])
order by m.id
on conflict (session, agent, item) do update set (version, at) = (excluded.version, loam_now())
where told.version <> excluded.version
