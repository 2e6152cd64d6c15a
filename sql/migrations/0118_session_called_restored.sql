-- A dump is restored with an empty search path, under which the name of one function of ours did not lead to another
-- one: no session came back. The values stay.
create or replace function session_called(prompt text, findings text, cwd text, handle text) returns text
language plpgsql immutable parallel safe as
$$
begin
  return coalesce(
    nullif(public.first_line(prompt), ''),
    nullif(public.first_line(case when btrim(findings) = '(auto) session ended, no summary harvested' then ''
      else regexp_replace(findings, '^\(auto-harvested\) ', '') end), ''),
    nullif(regexp_replace(rtrim(cwd, '/\'), '^.*[/\\]', ''), ''),
    handle);
end
$$;
