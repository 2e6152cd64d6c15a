-- Which active memories of :searched and :inherited, without the kind :without, match a prompt by name and
-- description? BM25 ranks these headings, and the rarest words of the prompt choose the candidates.
--
-- The headings themselves give the rarity of the choosing words. The statistics of all passages give that of
-- the other words, which only add to a score. Among up to :small memories every word chooses; among more, the
-- rarest words until about :pool candidates. A memory qualifies with :least different words of the prompt and
-- a score of :floor. The score is a BM25 that is comparable across sizes: with many memories or a long prompt
-- a high plain one is easy to reach. What was read after it had been shown only reorders the qualified memories.
--
-- The query returns the :keep best that the agent of :whose was not told yet, and those of the :keep best that
-- it was told as they are.
with
  scope as materialized (
    select array(select number from projects where slug = any (:searched::text[] || :inherited::text[]))
      || case when '' = any (:searched::text[]) then array[0] else array[]::int[] end as projects
  ),
  total as materialized (
    select greatest(count(*), :fewest::int)::float8 as n
    from (
      select from memories where invalid_at is null and project = any (:searched::text[] || :inherited::text[]) limit :counted::int
    ) m
  ),
  asked as materialized (
    select w.lexeme, w.weight, w.query, least(coalesce(told.n, found.n), t.n) as n,
      row_number() over (order by coalesce(told.n, found.n), w.lexeme) as nth
    from total t,
      lateral (
        select lexeme, weight, ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as query
        from unnest(:lexemes::text[], :weights::float8[]) as u (lexeme, weight)
      ) w
      left join lateral (
        select nullif(sum(s.passages), 0)::float8 as n from lexeme_stats s
        where t.n > :small and s.lexeme = w.lexeme and s.project = any ((select projects from scope)::int[])
      ) told on true
      left join lateral (
        select count(*)::float8 as n from (
          select from memories m
          where t.n > :small and told.n is null
            and m.invalid_at is null and m.project = any (:searched::text[] || :inherited::text[]) and m.heading @@ w.query
          limit 1001
        ) f
      ) found on true
  ),
  chosen as materialized (
    select a.lexeme, a.query
    from (select asked.*, sum(n) over (order by nth) as so_far from asked) a, total t
    where t.n <= :small or a.n > 0 and (a.nth = 1 or a.so_far <= :pool)
  ),
  candidates as materialized (
    select m.id, m.heading, length(m.heading) as length
    from memories m
    where m.invalid_at is null and m.project = any (:searched::text[] || :inherited::text[]) and m.kind <> :without
      and m.heading @@ (select string_agg(query::text, ' | ')::tsquery from chosen)
    limit :most::int
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
      sum(w.idf * 2.2 / (1 + 1.2 * (.25 + .75 * m.length / :usual::float8)))
        / power(ln(t.n + 2), :many::float8) / power(:words::float8, :long::float8) as score
    from total t, matches m join weighed w using (lexeme)
    group by m.id, t.n
    having count(*) filter (where m.weight = 1) >= :least::int
  ),
  ranked as (
    select m.id, m.project, m.name, m.kind, m.description, m.updated_at, s.score, told_version(m) as version,
      coalesce(t.version = told_version(m), false) as told,
      row_number() over best as place
    from scored s
      join memories m using (id)
      left join told t on t.session = :whose::uuid and t.agent = :agent and t.item = m.id
      cross join (select loam_now() as at) now
      cross join lateral used('memory', m.id, now.at) u
    where s.score >= :floor::float8
    window best as (order by s.score * (1 + :boost::float8 * u.utility) desc, m.updated_at desc, m.id desc)
  )
select id, project, name, kind, description, extract(epoch from loam_now() - updated_at)::float8 as age, score, version, told
from (select *, count(*) filter (where not told) over (order by place) as nth from ranked) r
where case when told then place else nth end <= :keep::int
order by place
