-- A search by words tested each candidate against each word that was asked. In a scope of half the store or more each word is
-- read from the index by itself now: alone when it chooses candidates, and else together with those that do. What the words
-- weigh is looked up by their number instead of joined, and counted again only where it was not known before. The same hits
-- come back, with the same scores.

do $make$
declare
  -- Which items answer best by their words? BM25 over passages, the rarest words choosing the candidates.
  --
  -- In a scope of up to small_scope passages every match is a candidate and each word's frequency is what the
  -- matches show. In a larger one the frequencies come from lexeme_stats, a word unknown there is counted
  -- (to 1,001) and words are taken rarest first until about pool_size candidates. If the scope is half of the
  -- store or more, each word is read from the index by itself, one that does not choose together with those that
  -- do. In a smaller scope the candidates are read once and tested against each word, since the index has the
  -- words of the whole store; and so they are where more than eight words do not choose. A word's occurrences are
  -- read off ts_rank, which for one lexeme is the sum of 1/i² over them, divided by π²/6: the remainder
  -- of that sum is 1/(n + ½). An item scores as its best passage, and a little for up to five further
  -- ones. `score` is the share of what a passage full of every word would have; further ones may bring it
  -- above 1. With at_time the items are those of that time, inactive ones too; frequencies stay today's. Of
  -- from_projects only memories are searched. Sums are rounded, since rows come in any order and their last bits with it:
  -- what is equal must be ordered by id. The first row has the weight of each asked lexeme by its rarity.
  -- {among column}, {past}, {stood} and {alone} stand for what differs from class to class: what once stood may be in many
  -- more passages than a word's frequency says.
  body text := $body$
begin
  return query
  with
    scope as materialized (
      select array(select number from projects where slug = any (in_projects || from_projects))
        || case when '' = any (in_projects) then array[0] else array[]::int[] end as projects,
        array(select number from projects where slug = any (from_projects)) as inherited
    ),
    -- `counts`: whether frequencies must be known before the search.
    total as materialized (
      select coalesce(sum(t.passages), 0)::float8 as passages,
        greatest(coalesce(sum(t.length), 0) / greatest(sum(t.passages), 1), 1)::float8 as length,
        coalesce(sum(t.passages), 0) > small_scope or cardinality(asked_lexemes) > most_words as counts
      from (
        select passages, length from passage_totals where {among project}
        union all
        select passages, length from passage_changes where {among project}
      ) t
    ),
    asked as materialized (
      select w.lexeme, w.weight, w.query, w.place, known.n,
        row_number() over (order by known.n = 0, known.n, w.lexeme) as nth
      from total,
        lateral (
          select lexeme, weight, place,
            ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as query
          from unnest(asked_lexemes, asked_weights) with ordinality as u (lexeme, weight, place)
        ) w
        left join lateral (
          select nullif(sum(s.passages), 0)::float8 as n from lexeme_stats s
          where total.counts and s.lexeme = w.lexeme and {among s.project}
        ) told on true
        left join lateral (
          select count(*)::float8 as n from (
            select from passages p
            where total.counts and told.n is null
              and p.active and {among p.project} and p.words @@ w.query
            limit 1001
          ) found
        ) counted on true,
        lateral (select case when total.counts then coalesce(told.n, counted.n) end as n) known
    ),
    pruned as materialized (
      select string_agg(query::text, ' | ')::tsquery as any_of, max(nth) as last,
        {alone} and bool_and(total.counts and total.passages > small_scope) and sum(n) <= most_candidates
          and count(*) + 8 >= (select count(*) from asked where n > 0 and nth <= most_words) as alone
      from (select query, n, nth, sum(n) over (order by nth) as so_far from asked) a, total
      where not total.counts
        or n > 0 and nth <= most_words and (so_far <= pool_size or nth = 1 or total.passages <= small_scope)
    ),
    candidates as (
      select p.kind, p.id, p.chunk, p.words, p.length
      from (
        select * from passages p
        where p.active and {among p.project}
          and p.words @@ (select any_of from pruned)
  {past}    ) p
      where {sought}
  {stood}      and (select alone from pruned) is not true
      limit most_candidates
    ),
    ranked as (
      select c.kind, c.id, c.chunk, c.length, a.nth, a.weight, ts_rank('{1,1,1,1}', c.words, a.query)::float8 as rank
      from candidates c,
        lateral (
          select * from asked
          where nth <= most_words and (n > 0) is not false and c.words @@ query
          offset 0
        ) a
      union all
      select p.kind, p.id, p.chunk, p.length, a.nth, a.weight, ts_rank('{1,1,1,1}', p.words, a.query)::float8 as rank
      from (select * from asked where nth <= most_words and n > 0 and (select alone from pruned)) a,
        lateral (
          select * from (
            select * from passages
            where active and words @@ case
              when a.nth <= (select last from pruned) then a.query
              else (select any_of from pruned) && a.query
            end
            -- Or the passages of all these projects would be looked up as well, for each word.
            offset 0
          ) p
          where {among p.project}
            and {sought}
          limit most_candidates
        ) p
    ),
    matches as materialized (
      select kind, id, chunk, length::float8 as length, nth, weight,
        round(1 / (1.64493406685::float8 * (1 - rank)) - .5::float8) as tf
      from ranked
    ),
    matched as materialized (
      select nth, count(*)::float8 as n from matches where not (select counts from total) group by nth
    ),
    weighed as materialized (
      select w.lexeme, w.nth, w.place, w.n,
        w.weight * power(ln(1 + (greatest(t.passages, w.n) - w.n + .5) / (w.n + .5)), .85) as idf
      from total t, (
        select a.lexeme, a.nth, a.place, a.weight, coalesce(a.n, m.n, 0) as n
        from asked a left join matched m using (nth)
      ) w
    ),
    by_number as materialized (
      select array_agg(idf order by nth) as idf, array_agg(n order by nth) as n from weighed
    ),
    scored as materialized (
      select m.kind, m.id, m.chunk,
        round(sum(w.idf[m.nth] * m.tf * 2.6 / (m.tf + 1.6 * (.25 + .75 * m.length / t.length))) * 1e9) / 1e9 as score,
        sum(w.idf[m.nth]) as idf,
        count(*) filter (where m.weight = 1) as words,
        min(w.n[m.nth]) as rarest
      from total t, by_number w, matches m
      group by m.kind, m.id, m.chunk
    ),
    -- A memory has one passage: one that is not among the best memories is not among the best items.
    placed as (
      select *, row_number() over (partition by kind, id order by score desc, chunk) as nth
      from scored
      where kind <> 'memory' or score >= coalesce((
        select s.score from scored s where s.kind = 'memory' order by s.score desc offset most_items - 1 limit 1
      ), 0)
    ),
    items as (
      select kind, id,
        round(sum(case when nth = 1 then score else .3 * score / (nth - 1) end) * 1e9) / 1e9 as score,
        max(idf) filter (where nth = 1) as idf,
        max(words) filter (where nth = 1) as words,
        max(rarest) filter (where nth = 1) as rarest,
        max(chunk) filter (where nth = 1) as chunk
      from placed
      where nth <= 6
      group by kind, id
      order by score desc, id
      limit most_items
    ),
    bound as (select greatest(sum(idf), 1e-9) as idf, array_agg(idf order by place) as weights from weighed)
  select i.kind, i.id, i.chunk, i.score / (2.6 * b.idf) as score,
    i.idf / b.idf as share, i.words::int, i.rarest, t.passages,
    case when explains then array(
      select w.lexeme from matches m join weighed w using (nth)
      where m.kind = i.kind and m.id = i.id and m.chunk = i.chunk
      order by w.idf desc, w.lexeme
    ) end as lexemes,
    case when row_number() over (order by i.score desc, i.id) = 1 then b.weights end as weights
  from bound b, total t, items i
  order by i.score desc, i.id;
end
$body$;
  past text := $past$
        union all
        select * from passages p
        where not p.active and {among p.project}
          and p.words @@ (select any_of from pruned)
$past$;
  sought text := $sought$p.kind = any (sought_kinds)
            and (p.kind = 'memory' or p.project <> all ((select inherited from scope)::int[]))
            and (of_memory_kind = '' or exists (select from memories m where m.id = p.id and m.kind = of_memory_kind))$sought$;
  class record;
  own text;
begin
  for class in
    select * from (values
      ('recall_words_some_now', $among$\1 = any ((select projects from scope)::int[])$among$, '', '',
        '2 * max(total.passages) >= (select sum(passages) from passage_totals)'),
      ('recall_words_some_then', $among$\1 = any ((select projects from scope)::int[])$among$, past,
        E'        and stood(p.kind, p.id, at_time)\n', 'false'),
      ('recall_words_all_now', 'true', '', '', 'true'),
      ('recall_words_all_then', 'true', past, E'        and stood(p.kind, p.id, at_time)\n', 'false')
    ) as c (name, among, past, stood, alone)
  loop
    own := replace(replace(replace(body, '{past}', ltrim(class.past, E'\n')), '{stood}', class.stood), '{sought}', sought);
    own := regexp_replace(replace(own, '{alone}', class.alone), '\{among ([a-z.]+)\}', class.among, 'g');
    execute format($create$
      create or replace function %I(
        asked_lexemes text[], asked_weights float8[], sought_kinds text[], most_items integer, small_scope integer,
        pool_size float8, most_candidates bigint, most_words integer, of_memory_kind text, at_time timestamptz,
        explains boolean, in_projects text[], from_projects text[]
      ) returns table (
        kind text, id text, chunk integer, score float8, share float8, words integer, rarest float8, passages float8,
        lexemes text[], weights float8[]
      ) language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as %L
    $create$, class.name, E'\n#variable_conflict use_column' || own);
  end loop;
end
$make$;
