-- Which items are nearest in meaning to the question, by every vector of the scope? See recall_nearest.
select * from recall_nearest(:model::smallint, :vector::halfvec, :kinds, :memory_kind, :depth, :near, :most, :wholes,
  :searched, :inherited, :everywhere)
