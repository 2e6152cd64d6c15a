-- What did each of :sessions do last, and what did it produce last? `last` is its newest event of any kind; the
-- others are its three newest outputs, without mere renewals of a claim. Each by its index, however long the
-- session is.
select s.id as session, e.part, e.id, e.ts, e.kind, e.project, e.item_id, e.payload
from unnest(:sessions::text[]) as s (id)
cross join lateral (
  (select 'last' as part, id, ts, kind, project, item_id, payload - '{result,content,findings,diff}'::text[] as payload
    from events where session_id = s.id order by ts desc, id desc limit 1)
  union all
  (select 'output', id, ts, kind, project, item_id, payload - '{content,findings,diff}'::text[]
    from events_acts
    where session_id = s.id
      and kind in ('session.started', 'memory.written', 'memory.superseded', 'note.written', 'task.transition',
        'trial.recorded', 'plan.captured', 'plan.presented', 'plan.approved', 'subagent.captured')
      and not payload ? 'renewed'
    order by ts desc, id desc limit 3)
) e
order by s.id, e.part, e.ts desc, e.id desc
