-- Of which of these questions do all words stand in one passage that a recall of the scope looks through? Each is a
-- tsquery of finished lexemes; the answer is their places in the list, from 1.
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects,
      array(select number from projects where slug = any (:inherited::text[])) as inherited
  )
select a.nth::int
from unnest(:asked::text[]) with ordinality as a (words, nth)
where exists (
  select from passages p
  where p.active and p.project = any ((select projects from scope)::int[]) and p.words @@ a.words::tsquery
    and p.kind = any (:kinds::text[])
    and (p.kind = 'memory' or p.project <> all ((select inherited from scope)::int[]))
)
