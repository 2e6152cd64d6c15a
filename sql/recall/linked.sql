-- What does a result show of each item, and of the memories that :sources link to? `nth` says of a linked one which of
-- the sources is the first to do so, `place` in which order they follow. See recall_items and recall_links.
with
  linked as materialized (
    select id, nth, row_number() over ()::int as place
    from recall_links(:sources, :searched, :inherited, :at::timestamptz)
  ),
  wanted as materialized (
    select * from unnest(:kinds::text[], :ids::text[]) as w (kind, id)
    union all
    select 'memory', id from linked where id <> all (:ids::text[])
  )
select i.*, l.nth, l.place
from recall_items(array(select kind from wanted), array(select id from wanted), :everywhere, :searched, :inherited) i
  left join linked l on i.kind = 'memory' and l.id = i.id
