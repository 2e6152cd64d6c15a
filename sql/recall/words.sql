-- Which items answer best by their words? BM25 over passages, the rarest words choosing the candidates.
--
-- In a scope of up to :small passages every match is a candidate and each word's frequency is what the
-- matches show. In a larger one the frequencies come from lexeme_stats, a word unknown there is counted
-- (to 1,001) and words are taken rarest first until about :pool candidates. A word's occurrences are
-- read off ts_rank, which for one lexeme is the sum of 1/i² over them, divided by π²/6: the remainder
-- of that sum is 1/(n + ½). An item scores as its best passage, and a little for up to five further
-- ones. `score` is the share of what a passage full of every word would have. With :at the items are
-- those of that time, inactive ones too; frequencies stay today's. Of :inherited projects
-- only memories are searched. Sums are rounded, since rows come in any order and their last bits with it:
-- what is equal must be ordered by id.
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects,
      array(select number from projects where slug = any (:inherited::text[])) as inherited
  ),
  -- `counts`: whether frequencies must be known before the search.
  total as materialized (
    select coalesce(sum(t.passages), 0)::float8 as passages,
      greatest(coalesce(sum(t.length), 0) / greatest(sum(t.passages), 1), 1)::float8 as length,
      coalesce(sum(t.passages), 0) > :small or cardinality(:lexemes::text[]) > :words as counts
    from (
      select passages, length from passage_totals where (:everywhere::boolean or project = any ((select projects from scope)::int[]))
      union all
      select passages, length from passage_changes where (:everywhere::boolean or project = any ((select projects from scope)::int[]))
    ) t
  ),
  asked as materialized (
    select w.lexeme, w.weight, w.query, known.n,
      row_number() over (order by known.n = 0, known.n, w.lexeme) as nth
    from total,
      lateral (
        select lexeme, weight, ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as query
        from unnest(:lexemes::text[], :weights::float8[]) as u (lexeme, weight)
      ) w
      left join lateral (
        select nullif(sum(s.passages), 0)::float8 as n from lexeme_stats s
        where total.counts and s.lexeme = w.lexeme and (:everywhere::boolean or s.project = any ((select projects from scope)::int[]))
      ) told on true
      left join lateral (
        select count(*)::float8 as n from (
          select from passages p
          where total.counts and told.n is null
            and p.active and (:everywhere::boolean or p.project = any ((select projects from scope)::int[])) and p.words @@ w.query
          limit 1001
        ) found
      ) counted on true,
      lateral (select case when total.counts then coalesce(told.n, counted.n) end as n) known
  ),
  pruned as materialized (
    select string_agg(query::text, ' | ')::tsquery as any_of
    from (select query, n, nth, sum(n) over (order by nth) as so_far from asked) a, total
    where not total.counts
      or n > 0 and nth <= :words and (so_far <= :pool or nth = 1 or total.passages <= :small)
  ),
  candidates as materialized (
    select p.kind, p.id, p.chunk, p.words, p.length
    from (
      select * from passages p
      where p.active and (:everywhere::boolean or p.project = any ((select projects from scope)::int[]))
        and p.words @@ (select any_of from pruned)
      union all
      select * from passages p
      where :at::timestamptz is not null
        and not p.active and (:everywhere::boolean or p.project = any ((select projects from scope)::int[]))
        and p.words @@ (select any_of from pruned)
    ) p
    where p.kind = any (:kinds::text[])
      and (p.kind = 'memory' or p.project <> all ((select inherited from scope)::int[]))
      and (:memory_kind::text = '' or exists (select from memories m where m.id = p.id and m.kind = :memory_kind))
      and (:at::timestamptz is null or stood(p.kind, p.id, :at))
    limit :most
  ),
  matches as materialized (
    select c.kind, c.id, c.chunk, c.length::float8 as length, a.lexeme, a.weight, a.n,
      round(1 / (1.64493406685::float8 * (1 - m.rank)) - .5::float8) as tf
    from candidates c, asked a,
      lateral (select ts_rank('{1,1,1,1}', c.words, a.query)::float8 as rank offset 0) m
    where a.nth <= :words and (a.n > 0) is not false and c.words @@ a.query
  ),
  weighed as materialized (
    select a.lexeme, f.n, a.weight * power(ln(1 + (greatest(t.passages, f.n) - f.n + .5) / (f.n + .5)), .85) as idf
    from total t, asked a,
      lateral (select coalesce(a.n, (select count(*) from matches m where m.lexeme = a.lexeme))::float8 as n) f
  ),
  scored as (
    select m.kind, m.id, m.chunk,
      round(sum(w.idf * m.tf * 2.6 / (m.tf + 1.6 * (.25 + .75 * m.length / t.length))) * 1e9) / 1e9 as score,
      sum(w.idf) as idf,
      count(*) filter (where m.weight = 1) as words,
      min(w.n) as rarest,
      array_agg(m.lexeme order by w.idf desc, m.lexeme) filter (where :explain::boolean) as lexemes
    from total t, matches m join weighed w using (lexeme)
    group by m.kind, m.id, m.chunk
  ),
  placed as (
    select *, row_number() over (partition by kind, id order by score desc, chunk) as nth from scored
  ),
  items as (
    select kind, id,
      round(sum(case when nth = 1 then score else .3 * score / (nth - 1) end) * 1e9) / 1e9 as score,
      max(idf) filter (where nth = 1) as idf,
      max(words) filter (where nth = 1) as words,
      max(rarest) filter (where nth = 1) as rarest,
      max(chunk) filter (where nth = 1) as chunk,
      max(lexemes) filter (where nth = 1) as lexemes
    from placed
    where nth <= 6
    group by kind, id
    order by score desc, id
    limit :depth
  ),
  bound as (select greatest(sum(idf), 1e-9) as idf from weighed)
select i.kind, i.id, i.chunk, least(i.score / (2.6 * b.idf), 1) as score,
  i.idf / b.idf as share, i.words::int, i.rarest, t.passages, i.lexemes
from bound b, total t, items i
order by i.score desc, i.id
