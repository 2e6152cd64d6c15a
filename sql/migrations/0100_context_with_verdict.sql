-- A call that names a project asked for whom it speaks and then whether that one may reach the project. Both are known at
-- once where a session speaks, and a search learns in the same way whether its project names a parent at all.

-- What one who works in the project `caller` may do with the project `asked`, which has this row or none.
create function verdict_on(caller text, caller_level text, asked text, p projects) returns jsonb language sql stable as
$$
  select jsonb_build_object(
    'project', asked, 'isolation', coalesce(p.isolation, 'open'), 'registered', p.slug is not null,
    'has_parent', p.parent_slug is not null,
    'readable', fence_allows('read', caller, caller_level, asked, p.isolation),
    'writable', fence_allows('write', caller, caller_level, asked, p.isolation),
    'addable', fence_allows('add', caller, caller_level, asked, p.isolation))
$$;

-- As before, and `verdict` says what the session may do with the project that the call names, or with its own. Null where
-- no session speaks.
drop function call_context(text, text, text, text);
create function call_context(connection text, of_client text, of_process text, began_with text, asked text)
returns jsonb language plpgsql stable as
$$
declare
  context jsonb;
  announced sessions;
begin
  select jsonb_build_object(
      'protocol', c.protocol_version,
      'client', c.client,
      'lab', c.lab,
      'features', (select value from settings where key = 'features_config'),
      'bound', session_of_call(s, p.isolation),
      'announced', null,
      'verdict', case when s.id is not null then
        verdict_on(s.project, coalesce(p.isolation, 'open'), coalesce(asked, s.project), q) end,
      'ambients', null)
    into context
    from mcp_sessions c
      left join sessions s on s.id = c.session_id and s.status <> 'completed'
      left join projects p on p.slug = s.project
      left join projects q on q.slug = coalesce(asked, s.project)
    where c.id = connection;
  if context is null or context -> 'bound' <> 'null' then
    return context;
  end if;
  if of_process <> '' or began_with <> '' then
    announced := session_shown(of_client, '', of_process, began_with);
  end if;
  return context || context_announced(announced, asked);
end
$$;

drop function stateless_context(text, text, text, text);
create function stateless_context(of_client text, shown_id text, of_process text, began_with text, asked text)
returns jsonb language plpgsql stable as
$$
declare
  announced sessions;
begin
  if shown_id <> '' or of_process <> '' or began_with <> '' then
    announced := session_shown(of_client, shown_id, of_process, began_with);
  end if;
  return jsonb_build_object('features', (select value from settings where key = 'features_config'))
    || context_announced(announced, asked);
end
$$;

-- The part of a context that depends on the session which a client's hook announced, or on there being none.
create function context_announced(announced sessions, asked text) returns jsonb language plpgsql stable as
$$
begin
  if announced.id is null then
    return jsonb_build_object('announced', null, 'verdict', null,
      'ambients', (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from ambient_places() a));
  end if;
  return (
    select jsonb_build_object(
      'announced', session_of_call(announced, p.isolation),
      'verdict', verdict_on(announced.project, coalesce(p.isolation, 'open'), coalesce(asked, announced.project), q),
      'ambients', null)
    from (select) one
      left join projects p on p.slug = announced.project
      left join projects q on q.slug = coalesce(asked, announced.project)
  );
end
$$;
