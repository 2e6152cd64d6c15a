-- Which items answer best by their words? See recall_words.
select * from recall_words(:lexemes, :weights, :kinds, :depth, :small, :pool, :most, :words, :memory_kind,
  :at::timestamptz, :explain, :searched, :inherited, :everywhere)
