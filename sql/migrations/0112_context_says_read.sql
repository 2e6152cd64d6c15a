-- What a call begins with says as well since when the database has every file (`files_read_at`): beside the function it was
-- planned anew for each call. Otherwise both are as before.

create or replace function call_context(connection text, of_client text, of_process text, began_with text, asked text)
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
      'files_read_at', (select files_read_at::text from store),
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

create or replace function stateless_context(
  of_client text, shown_id text, of_process text, began_with text, asked text
) returns jsonb language plpgsql stable as
$$
declare
  announced sessions;
begin
  if shown_id <> '' or of_process <> '' or began_with <> '' then
    announced := session_shown(of_client, shown_id, of_process, began_with);
  end if;
  return jsonb_build_object(
      'features', (select value from settings where key = 'features_config'),
      'files_read_at', (select files_read_at::text from store))
    || context_announced(announced, asked);
end
$$;
