-- What do these tasks wait for? See task_blockers.
select * from task_blockers(:tasks, :most, :caller, :level)
