-- In how many passages does each of these words stand, as far as the caller may read?
select s.lexeme, sum(s.passages)::int as passages
from lexeme_stats s left join projects p on p.number = s.project
where s.lexeme = any (:lexemes::text[])
  and (:everywhere::boolean or fence_allows('read', :caller, :level, coalesce(p.slug, ''), p.isolation))
group by s.lexeme
