-- What is kept of features, whether they are on or not: trials and their labs, and how often each kind of event was
-- recorded.
select (select count(*)::int from trials) as trials, (select count(distinct lab)::int from trials) as labs,
  (select coalesce(jsonb_object_agg(kind, events), '{}')
   from (select kind, sum(events) as events from log_counts where kind = any (:kinds::text[]) group by kind) c) as events
