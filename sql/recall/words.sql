-- Which items answer best by their words, and what do the first :read of them say there? See found_by_words.
select * from found_by_words(:lexemes, :weights, :kinds, :depth, :small, :pool, :most, :words, :memory_kind,
  :at::timestamptz, :explain, :read, :characters, :everywhere, :searched, :inherited)
