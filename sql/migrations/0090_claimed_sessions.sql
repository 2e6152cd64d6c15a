-- A session is called by the task that it claimed last. Few have claimed one, and a search by characters reads those beside
-- what the indexes of characters find.
create index sessions_claimed on sessions (claimed_task) where claimed_task <> '';
