-- What does this task wait for? See unfinished_blockers.
select * from unfinished_blockers(:task, :most, :caller, :level)
