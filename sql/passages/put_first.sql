-- Writes the passage of each of these items, which have none yet, and what learned models read of it; see
-- put_first_passages and keep_folded.
select
  put_first_passages(:kinds, :ids, :numbers, :actives, :normaliser::smallint, :places, :sizes, :hashes, :lengths,
    :words),
  keep_folded(:kinds, :ids, :folded_kinds, :folded_ids, :folded_chunks, :folded_models,
    :folded_dims, :folds, :held)
