-- Which memories does this one replace directly, the latest first, as far as the caller may read them? Every read of a memory
-- asks. As a function its plan is kept, and goes by the few memories that were replaced at all: for an id that has replaced
-- nothing the planner would look at it anew each time.
create function replaced_memories(of_id text, most integer, caller text, level text)
returns table (name text, project text) language plpgsql stable set plan_cache_mode = force_generic_plan as
$$
#variable_conflict use_column
begin
  return query
  select m.name, m.project
  from memories m
  where m.superseded_by = of_id and m.superseded_by <> ''
    and fence_allows('read', caller, level, m.project, (select p.isolation from projects p where p.slug = m.project))
  order by m.invalid_at desc, m.id desc
  limit most;
end
$$;
