-- The name of a session in a fenced project begins with the project's slug.
update sessions s set name = p.slug || '/' || s.name
from projects p
where p.slug = s.project and fence_allows('read', '', 'open', p.slug, p.isolation) is not true
  and not starts_with(s.name, p.slug || '/')
  and not exists (select from sessions o where o.name = p.slug || '/' || s.name);
