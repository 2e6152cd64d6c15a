-- In how many passages does each of these words stand: in all that everybody may read together (place ''), and in each
-- fenced project?
select s.lexeme, t.place, sum(s.passages)::int as passages
from lexeme_stats s
  left join projects p on p.number = s.project,
  lateral (
    select case when fence_allows('read', '', 'open', coalesce(p.slug, ''), p.isolation) then '' else p.slug end as place
  ) t
where s.lexeme = any (:lexemes::text[])
group by s.lexeme, t.place
