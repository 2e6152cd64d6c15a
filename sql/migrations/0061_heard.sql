-- Whether what is asked for in one project counts as demand for an item of another: nothing outside a fence may tell what
-- is asked within. As where demand is counted (0017).
create function is_heard(asked_in text, lies_in text) returns boolean language plpgsql stable as
$$
begin
  return asked_in is null or asked_in = lies_in
    or not exists (select from projects p where p.slug = asked_in and p.isolation <> 'open');
end
$$;
