-- Which memories does this one replace? See replaced_memories.
select * from replaced_memories(:id, :most, :caller, :level)
