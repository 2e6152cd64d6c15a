-- Whom does a call without a connection speak for? As call_context, but nothing is bound: only what the
-- call shows counts. Most clients of this generation show their process with every call, so the places
-- of all agents are looked up only for one that is not known.
create function stateless_context(
  of_client text, shown_id text, of_process text, began_with text)
returns jsonb language plpgsql stable as
$$
declare
  announced sessions;
begin
  if shown_id <> '' or of_process <> '' or began_with <> '' then
    announced := session_shown(of_client, shown_id, of_process, began_with);
  end if;
  return jsonb_build_object(
    'features', (select value from settings where key = 'features_config'),
    'announced', session_of_call(announced),
    'ambients', case when announced.id is null then
      (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from ambient_places() a) end);
end
$$;
