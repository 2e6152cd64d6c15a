-- Whoever writes asks what says nearly the same, and several who write at once ask it together: the vectors of a scope are
-- looked through once for all of them.

drop function recall_nearest;
drop function recall_nearest_some;
drop function recall_nearest_all;

do $make$
declare
  -- Which items are nearest in meaning to the question? Every vector of the scope is compared, and the most_passages
  -- nearest passages are kept: an item is as similar as its best passage. `enough` says whether no other passage can
  -- bring an item among the first most_items: as many are nearer than the last passage, or there are no more passages.
  -- `whole`, where it is asked for: how near the middle of all its passages is. A scope of more than exact_passages is
  -- not looked through: the one row of its answer has no item. Of from_projects only memories are searched.
  -- {among column} stands for what differs from class to class.
  body text := $body$
declare
  asked_projects int[] := array(select number from projects where slug = any (in_projects || from_projects))
    || case when '' = any (in_projects) then array[0] else array[]::int[] end;
  inherited int[] := array(select number from projects where slug = any (from_projects));
begin
  if exact_passages < (
    select coalesce(sum(t.passages), 0) from (
      select passages from passage_totals where {among project}
      union all
      select passages from passage_changes where {among project}
    ) t
  ) then
    return query select null::text, null::text, null::float8, null::integer, false, null::float8;
    return;
  end if;
  return query
  with
    passages as materialized (
      select v.kind, v.id, v.chunk, coalesce(nullif(v.e <=> question, 'NaN'), 1) as far
      from vectors v
      where v.model = of_model and v.active and {among v.project}
        and v.kind = any (sought_kinds)
        and (v.kind = 'memory' or v.project <> all (inherited))
        and (of_memory_kind = '' or exists (select from memories m where m.id = v.id and m.kind = of_memory_kind))
      order by far
      limit most_passages
    ),
    items as materialized (
      select kind, id, (min(array[far, chunk]))[1] as far, (min(array[far, chunk]))[2]::int as chunk
      from passages
      group by kind, id
    ),
    near as materialized (select * from items order by far, id limit most_items),
    bound as (
      select (select count(*) from passages) < most_passages or (
        select count(*) from items where far < (select max(far) from passages)) >= most_items as enough
    )
  select n.kind, n.id, 1 - n.far, n.chunk, b.enough,
    case when with_wholes then (
      select 1 - coalesce(nullif(avg(v.e) <=> question, 'NaN'), 1)
      from vectors v where v.kind = n.kind and v.id = n.id and v.model = of_model
    ) end
  from bound b, near n
  order by n.far, n.id;
end
$body$;
  class record;
begin
  for class in
    select * from (values
      ('recall_nearest_some', '\1 = any (asked_projects)', 'set enable_seqscan = off'),
      ('recall_nearest_all', 'true', '')
    ) as c (name, among, how)
  loop
    execute format($create$
      create function %I(
        of_model smallint, question halfvec, sought_kinds text[], of_memory_kind text, most_items integer,
        most_passages integer, exact_passages integer, with_wholes boolean, in_projects text[], from_projects text[]
      ) returns table (kind text, id text, similarity float8, chunk integer, enough boolean, whole float8)
      language plpgsql volatile set plan_cache_mode = force_generic_plan set jit = off %s as %L
    $create$, class.name, class.how, E'\n#variable_conflict use_column' || regexp_replace(body, '\{among ([a-z.]+)\}', class.among, 'g'));
  end loop;
end
$make$;

-- Which items are nearest in meaning to the question? By the function of its class.
create function recall_nearest(
  of_model smallint, question halfvec, sought_kinds text[], of_memory_kind text, most_items integer,
  most_passages integer, exact_passages integer, with_wholes boolean, in_projects text[], from_projects text[],
  everywhere boolean
) returns table (kind text, id text, similarity float8, chunk integer, enough boolean, whole float8)
language plpgsql volatile as
$$
begin
  if everywhere then
    return query select * from recall_nearest_all(of_model, question, sought_kinds, of_memory_kind, most_items,
      most_passages, exact_passages, with_wholes, in_projects, from_projects);
  else
    return query select * from recall_nearest_some(of_model, question, sought_kinds, of_memory_kind, most_items,
      most_passages, exact_passages, with_wholes, in_projects, from_projects);
  end if;
end
$$;

-- Which memories say nearly the same as each of these texts, the most similar first? The vectors of the texts stand one
-- after the other. Of an item the best passage counts. Vectors that differ from a text in more than most_signs of their
-- signs are left out: a comparison of signs is a small part of the work. A scope of more than exact_passages is not looked
-- through: the one row of its answer has no item.
create function nearly_the_same(
  of_model smallint, dims integer, numbers real[], least_similar float8, most_signs integer, most_items integer,
  exact_passages integer, in_projects text[], from_projects text[]
) returns table (nth integer, id text, similarity float8)
language plpgsql volatile set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off as
$$
#variable_conflict use_column
declare
  asked_projects int[] := array(select number from projects where slug = any (in_projects || from_projects))
    || case when '' = any (in_projects) then array[0] else array[]::int[] end;
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
    near as (
      select t.nth, v.id, max(1 - (v.e <=> t.e)) as similarity
      from vectors v join texts t on v.b <~> t.signs <= most_signs
      where v.model = of_model and v.active and v.project = any (asked_projects) and v.kind = 'memory'
        and coalesce(nullif(v.e <=> t.e, 'NaN'), 1) <= 1 - least_similar
      group by t.nth, v.id
    )
  select r.nth, r.id, r.similarity
  from (select *, row_number() over (partition by nth order by similarity desc, id) as place from near) r
  where r.place <= most_items
  order by r.nth, r.place;
end
$$;
