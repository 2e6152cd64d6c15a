-- The fence tells apart what is added to a project and what is changed there. From outside something may be
-- added to a confidential project; what lies there is reached by those alone who may read it.
--
-- As before, and `act` is read, write or add; any other act is allowed nowhere.
create or replace function fence_allows(act text, caller text, caller_level text, target text, target_level text)
returns boolean language sql immutable parallel safe as
$$
  select caller = target or (
    case act when 'read' then caller_level <> 'sealed' when 'write' then caller_level = 'open'
      when 'add' then caller_level = 'open' else false end
    and coalesce(target_level, 'open') = any (case act when 'add' then array['open', 'confidential'] else array['open'] end)
  )
$$;
