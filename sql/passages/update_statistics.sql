-- Takes up to :limit changes, oldest first, and adds them to the statistics. Exactly once: the
-- changes go with the transaction that adds them. Sorted, so that two of these never deadlock.
with
  taken as (
    delete from passage_changes
    where number in (
      select number from passage_changes order by number limit :limit::int for update skip locked
    )
    returning project, passages, length, lexemes, changes
  ),
  totals as (
    insert into passage_totals as t (project, passages, length)
    select project, sum(passages), sum(length) from taken group by project order by project
    on conflict (project) do update set
      (passages, length) = (t.passages + excluded.passages, t.length + excluded.length)
  ),
  changed as (
    select lexeme, project, sum(change) as passages
    from taken, unnest(lexemes, changes) as c (lexeme, change)
    group by lexeme, project
    having sum(change) <> 0
  ),
  words as (
    insert into lexeme_stats as s (lexeme, project, passages)
    select lexeme, project, passages from changed order by lexeme, project
    on conflict (lexeme, project) do update set passages = s.passages + excluded.passages
  ),
  words_of_all as (
    insert into lexeme_totals as s (lexeme, passages)
    select lexeme, sum(passages) from changed group by lexeme having sum(passages) <> 0 order by lexeme
    on conflict (lexeme) do update set passages = s.passages + excluded.passages
  )
select count(*)::int as taken from taken
