-- Which of these memories was :whose agent not told yet? Tells them in the same statement, so that of two hooks
-- at once only one does; the others are counted as saved for :place. A memory that says something else by now
-- is new.
with
  offered as materialized (
    select i.id, coalesce(i.version, told_version(m)) as version, i.tokens
    from unnest(:ids::text[], :versions::uuid[], :tokens::int[]) as i (id, version, tokens) join memories m on m.id = i.id
  ),
  fresh as (
    insert into told (session, agent, item, version)
    select :whose::uuid, :agent, o.id, o.version
    from offered o
      -- By its key: what a plan joins it may read whole, and the ledger grows while the plan is kept.
      left join lateral (
        select t.version from told t where t.session = :whose::uuid and t.agent = :agent and t.item = o.id limit 1
      ) t on true
    -- A row that is locked, and not changed, would cost the transaction a write to the disk.
    where t.version is distinct from o.version
    order by o.id
    on conflict (session, agent, item) do update set (version, at) = (excluded.version, loam_now())
    where told.version <> excluded.version
    returning item
  ),
  saved as (
    insert into told_savings as known (project, slot, items, tokens)
    select :place, abs(hashtext(:whose::uuid::text) % 8), count(*), sum(tokens)
    from offered where id not in (select item from fresh)
    having count(*) > 0
    on conflict (project, slot) do update set
      items = known.items + excluded.items, tokens = known.tokens + excluded.tokens
  )
select item as id from fresh
