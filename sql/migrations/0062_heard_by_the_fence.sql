-- As before (0061), and judged by the fence.
create or replace function is_heard(asked_in text, lies_in text) returns boolean language sql stable as
$$
  select asked_in is null or asked_in = lies_in
    or fence_allows('read', '', 'open', asked_in, (select p.isolation from projects p where p.slug = asked_in))
$$;
