-- The signs of vectors stand in an index; the vectors themselves, in rows that are many times as long.

-- Which memories say nearly the same as each of these texts, the most similar first? The vectors of the texts stand one
-- after the other. Of an item the best passage counts. Vectors that differ from a text in more than most_signs of their
-- signs are left out, before anything but the index of signs is read. A scope of more than exact_passages is not looked
-- through: an answer with a row that has no item tells nothing, and its caller may ask in another way. So it is in any
-- trouble: an error would end the transaction of the write.
create or replace function nearly_the_same(
  of_model smallint, dims integer, numbers real[], least_similar float8, most_signs integer, most_items integer,
  exact_passages integer, in_projects text[], from_projects text[]
) returns table (nth integer, id text, similarity float8)
language plpgsql volatile set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off
set enable_bitmapscan = off as
$$
#variable_conflict use_column
begin
  declare
    asked_projects int[] := array(select number from projects where slug = any (in_projects || from_projects))
      || case when '' = any (in_projects) then array[0] else array[]::int[] end;
    -- Those of the only text: they leave little for the join.
    only_signs bit varying := case when cardinality(numbers) = dims then binary_quantize(numbers::halfvec) end;
  begin
    if exact_passages < (
      select coalesce(sum(t.passages), 0) from (
        select passages from passage_totals where project = any (asked_projects)
        union all
        select passages from passage_changes where project = any (asked_projects)
      ) t
    ) then
      return query select null::integer, null::text, null::float8;
      return;
    end if;
    return query
    with
      texts as materialized (
        select t.nth, t.e, binary_quantize(t.e) as signs
        from (
          select n as nth, numbers[(n - 1) * dims + 1 : n * dims]::halfvec as e
          from generate_series(1, cardinality(numbers) / dims) n
        ) t
      ),
      like_signs as materialized (
        select t.nth, t.e, v.id, v.chunk
        from vectors v join texts t on v.b <~> t.signs <= most_signs
        where v.model = of_model and v.active and v.project = any (asked_projects) and v.kind = 'memory'
          and (only_signs is null or v.b <~> only_signs <= most_signs)
      ),
      near as (
        select s.nth, s.id, max(1 - (v.e <=> s.e)) as similarity
        from like_signs s,
          lateral (
            select v.e from vectors v
            where v.kind = 'memory' and v.id = s.id and v.chunk = s.chunk and v.model = of_model limit 1
          ) v
        where coalesce(nullif(v.e <=> s.e, 'NaN'), 1) <= 1 - least_similar
        group by s.nth, s.id
      )
    select r.nth, r.id, r.similarity
    from (select *, row_number() over (partition by nth order by similarity desc, id) as place from near) r
    where r.place <= most_items
    order by r.nth, r.place;
  end;
exception when query_canceled or others then
  return query select null::integer, null::text, null::float8;
end
$$;
