-- What of :project could be begun, what waits and for what, and what was begun and is carried by nobody? See task_queue.
select * from task_queue(:project, :plan, :most, :text, :blockers, :caller, :level)
