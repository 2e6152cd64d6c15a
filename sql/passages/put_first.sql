-- Writes the passage of each of these items, which have none yet; see put_first_passages.
select put_first_passages(:kinds, :ids, :numbers, :actives, :normaliser::smallint, :places, :sizes, :hashes,
  :lengths, :words)
