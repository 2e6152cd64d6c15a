-- These memories were shown, the nth to the agent of the nth session. One that was told it so already is left out: a row
-- that is locked, and not changed, would cost the transaction a write to the disk. Sessions of one client are one agent.
-- Each row is looked up by its key: what a plan joins it may read whole, and the ledger grows while the plan is kept.
with
  shown as materialized (
    select distinct told_session(s.external_client, s.client_session_id, s.id) as session, m.id,
      told_version(m) as version
    from unnest(:sessions::text[], :ids::text[]) as a (session, id)
      join sessions s on s.id = a.session
      join memories m on m.id = a.id
  )
insert into told (session, agent, item, version)
select n.session, '', n.id, n.version
from shown n
  left join lateral (
    select t.version from told t where t.session = n.session and t.agent = '' and t.item = n.id limit 1
  ) t on true
where t.version is distinct from n.version
order by n.session, n.id
on conflict (session, agent, item) do update set (version, at) = (excluded.version, loam_now())
where told.version <> excluded.version
