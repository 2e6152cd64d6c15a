-- What a hook asks at each prompt is planned once for a connection. It was planned anew each time, which took longer than the
-- search itself. Everything is reached by an index, also while a table is still small: the plan stays when it grows.

-- Which active memories of these projects, but for those of without_kind, match a prompt by name and description? BM25
-- ranks these headings, and the rarest words of the prompt choose the candidates.
--
-- The headings themselves give the rarity of the choosing words. The statistics of all passages give that of
-- the other words, which only add to a score. Among up to small_scope memories every word chooses; among more, the
-- rarest words until about pool_size candidates. A memory qualifies with least_words different words of the prompt and
-- a score of least_score. The score is a BM25 that is comparable across sizes: with many memories or a long prompt
-- a high plain one is easy to reach. What was read after it had been shown only reorders the qualified memories.
--
-- Returns the best that the agent was not told yet, `keep` of them, and those of the `keep` best that it was told as
-- they are.
create function match_prompt(
  asked_lexemes text[], asked_weights float8[], asked_words float8, without_kind text, keep integer, of_whose uuid, of_agent text,
  least_words integer, least_score float8, many float8, long float8, usual_length float8, boost float8, small_scope integer,
  pool_size float8, most_candidates integer, fewest integer, counted integer, in_projects text[], from_projects text[]
) returns table (
  id text, project text, name text, kind text, description text, age float8, score float8, version uuid, told boolean
) language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as
$$
#variable_conflict use_column
begin
  return query
  with
    scope as materialized (
      select array(select number from projects where slug = any (in_projects || from_projects))
        || case when '' = any (in_projects) then array[0] else array[]::int[] end as projects
    ),
    total as materialized (
      select greatest(count(*), fewest)::float8 as n
      from (
        select from memories where invalid_at is null and project = any (in_projects || from_projects) limit counted
      ) m
    ),
    asked as materialized (
      select w.lexeme, w.weight, w.query, least(coalesce(told.n, found.n), t.n) as n,
        row_number() over (order by coalesce(told.n, found.n), w.lexeme) as nth
      from total t,
        lateral (
          select lexeme, weight, ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as query
          from unnest(asked_lexemes, asked_weights) as u (lexeme, weight)
        ) w
        left join lateral (
          select nullif(sum(s.passages), 0)::float8 as n from lexeme_stats s
          where t.n > small_scope and s.lexeme = w.lexeme and s.project = any ((select projects from scope)::int[])
        ) told on true
        left join lateral (
          select count(*)::float8 as n from (
            select from memories m
            where t.n > small_scope and told.n is null
              and m.invalid_at is null and m.project = any (in_projects || from_projects) and m.heading @@ w.query
            limit 1001
          ) f
        ) found on true
    ),
    chosen as materialized (
      select a.lexeme, a.query
      from (select asked.*, sum(n) over (order by nth) as so_far from asked) a, total t
      where t.n <= small_scope or a.n > 0 and (a.nth = 1 or a.so_far <= pool_size)
    ),
    candidates as materialized (
      select m.id, m.heading, length(m.heading) as length
      from memories m
      where m.invalid_at is null and m.project = any (in_projects || from_projects) and m.kind <> without_kind
        and m.heading @@ (select string_agg(query::text, ' | ')::tsquery from chosen)
      limit most_candidates
    ),
    matches as materialized (
      select c.id, c.length, a.lexeme, a.weight
      from candidates c, unnest(tsvector_to_array(c.heading)) as l (lexeme) join asked a using (lexeme)
    ),
    weighed as materialized (
      select a.lexeme, a.weight * ln(1 + (t.n - f.n + .5) / (f.n + .5)) as idf
      from total t, asked a
        left join chosen c using (lexeme)
        left join (select lexeme, count(*)::float8 as n from matches group by lexeme) m using (lexeme),
        lateral (select least(case when c.lexeme is not null then m.n else a.n end, t.n) as n) f
      where m.n > 0
    ),
    scored as (
      select m.id,
        sum(w.idf * 2.2 / (1 + 1.2 * (.25 + .75 * m.length / usual_length)))
          / power(ln(t.n + 2), many) / power(asked_words, long) as score
      from total t, matches m join weighed w using (lexeme)
      group by m.id, t.n
      having count(*) filter (where m.weight = 1) >= least_words
    ),
    ranked as (
      select m.id, m.project, m.name, m.kind, m.description, m.updated_at, s.score, told_version(m) as version,
        coalesce(t.version = told_version(m), false) as told,
        row_number() over best as place
      from scored s
        join memories m using (id)
        left join told t on t.session = of_whose and t.agent = of_agent and t.item = m.id
        cross join (select loam_now() as at) now
        cross join lateral used('memory', m.id, now.at) u
      where s.score >= least_score
      window best as (order by s.score * (1 + boost * u.utility) desc, m.updated_at desc, m.id desc)
    )
  select id, project, name, kind, description, extract(epoch from loam_now() - updated_at)::float8 as age, score, version, told
  from (select *, count(*) filter (where not told) over (order by place) as nth from ranked) r
  where case when told then place else nth end <= keep
  order by place;
end
$$;
