-- What do the passages say that answer best by their words? See recall_passages.
select * from recall_passages(:kinds, :ids, :chunks, :most, :everywhere, :searched, :inherited)
