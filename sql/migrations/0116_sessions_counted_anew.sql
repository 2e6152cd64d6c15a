-- An import brings sessions in while triggers are silent, so that nothing had counted them.

-- Counts anew how many sessions each project has, and their tokens. Its caller keeps writers off the sessions meanwhile.
create function recount_sessions() returns void language sql as
$$
  delete from session_totals;
  insert into session_totals
  select project, 0, count(*), sum(input_tokens + cached_tokens + cache_creation_tokens + output_tokens)
  from sessions group by project;
$$;
select recount_sessions();
