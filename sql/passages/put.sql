-- Writes the passages of one item; see put_passages.
select put_passages(:kind, :id, :project, :active, :normaliser::smallint, :chunks, :places, :sizes, :hashes,
  :lengths, :words, :gone)
