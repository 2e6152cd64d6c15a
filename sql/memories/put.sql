-- Writes the rows of memories and their links; see put_memories.
select put_memories(:written::jsonb, :linked::jsonb)
