-- What do these hits say where they were found, and what became of them since? See recall_shown.
select * from recall_shown(:kinds, :ids, :chunks, :most, :searched, :inherited, :caller, :level)
