-- Into which projects may the caller move memories? Those in use that it may read and change; '' is the global scope.
select p.slug
from (select slug, isolation from projects where retired_at is null union all select '', 'open') p
where fence_allows('read', :caller, :level, p.slug, p.isolation)
  and fence_allows('write', :caller, :level, p.slug, p.isolation)
order by p.slug
