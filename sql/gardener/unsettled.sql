-- Which of these may be proposed, on evidence of these times? What was applied stands as long as the task that it opened
-- is to be done.
select a.key
from unnest(:keys::text[], :times::timestamptz[]) as a (key, at)
where not is_settled(a.key, a.at)
  and not exists (
    select from proposals p join tasks t on t.id = p.result ->> 'task_id'
    where p.dedupe_key = a.key and p.status = 'applied' and t.status in ('open', 'in_progress')
  )
