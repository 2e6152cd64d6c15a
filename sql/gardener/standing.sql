-- Which of these names has an active memory where a request looks, :at one project or else in its scope?
select distinct m.name
from memories m
where m.invalid_at is null
  and m.name = any (:names::text[])
  and case when :at::text is not null then m.project = :at
    else :all::boolean or m.project = any (:searched::text[]) end
  and fence_allows('read', :caller, :level, m.project, (select p.isolation from projects p where p.slug = m.project))
