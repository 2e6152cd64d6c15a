-- These memories were shown to the agent of :session. One that was told it so already is left out: a row that is locked,
-- and not changed, would cost the transaction a write to the disk.
with
  shown as materialized (
    select told_session(s.external_client, s.client_session_id, s.id) as session, m.id, told_version(m) as version
    from sessions s, memories m
    where s.id = :session and m.id = any (:ids::text[])
  )
insert into told (session, agent, item, version)
select n.session, '', n.id, n.version
from shown n
where not exists (
  select from told t where t.session = n.session and t.agent = '' and t.item = n.id and t.version = n.version)
order by n.id
on conflict (session, agent, item) do update set (version, at) = (excluded.version, loam_now())
where told.version <> excluded.version
