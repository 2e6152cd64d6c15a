-- Is there so much that counting it takes its time? How many passages there are, and how often anything was asked for.
select (select coalesce(sum(passages), 0)::float8 from passage_totals) as passages,
  (select coalesce(sum(events), 0)::float8 from log_counts
   where kind in ('memory.read', 'note.read', 'retrieval.injected')) as asked
