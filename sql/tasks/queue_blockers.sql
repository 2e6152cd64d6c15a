-- What does that wait for which the queue shows as blocked? See queue_blockers.
select * from queue_blockers(:project, :plan, :most, :blockers, :caller, :level)
