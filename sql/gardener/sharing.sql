-- Which memories share rare words with those of a round? Of each word asked for: the memory (`nth`) that has it, the
-- project in which it lies, how much the word is worth. Two memories hold in one place: both in one project, or one of
-- them everywhere. What a fenced project keeps is compared with nothing outside.
with
  asked as materialized (
    select u.nth, u.own, u.lexeme, u.worth, coalesce(p.number, 0) as project, not fence_allows('read', '', 'open', u.project, p.isolation) as fenced,
      ('''' || replace(replace(u.lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as query
    from unnest(:nth::int[], :ids::text[], :projects::text[], :lexemes::text[], :worths::float8[])
        as u (nth, own, project, lexeme, worth)
      left join projects p on p.slug = u.project
  ),
  found as (
    select a.nth, a.own, near.id, a.worth
    from asked a, lateral (
      select p.id from passages p
      where p.active and p.project = any (case when a.fenced then array[a.project] else array[a.project, 0] end)
        and p.words @@ a.query and p.kind = 'memory'
      limit :each
    ) near
    where a.project <> 0
    union all
    select a.nth, a.own, near.id, a.worth
    from asked a, lateral (
      select p.id from passages p
      where p.active and p.words @@ a.query and p.kind = 'memory'
        and not exists (
          select from projects s
          where s.number = p.project and not fence_allows('read', '', 'open', s.slug, s.isolation)
        )
      limit :each
    ) near
    where a.project = 0
  )
select nth, id
from (
  select nth, id, row_number() over (partition by nth order by sum(worth) desc, id) as place
  from found
  where id <> own
  group by nth, id
) ranked
where place <= :most
order by nth, place
