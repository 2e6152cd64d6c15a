-- Writes the passages of one item, and what learned models read of them; see put_passages and keep_folded.
select
  put_passages(:kind, :id, :project, :active, :normaliser::smallint, :chunks, :places, :sizes, :hashes, :lengths,
    :words, :gone),
  keep_folded(:written_kinds, :written_ids, :folded_kinds, :folded_ids, :folded_chunks, :folded_models,
    :folded_dims, :folds, :held)
