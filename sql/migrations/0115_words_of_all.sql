-- A search of everything added up each word's rows of all projects, a page of the table for each. What they come to stands in
-- one row per word now, told together with the others.

-- In how many active passages of all projects a lexeme stands.
create table lexeme_totals (
  lexeme text collate "C" primary key,
  passages integer not null
);

insert into lexeme_totals
select lexeme, sum(passages) from lexeme_stats group by lexeme;

do $make$
declare
  class text;
  own text;
  turn text[] := array['from lexeme_stats s\s+where total\.counts and s\.lexeme = w\.lexeme and true',
    'from lexeme_totals s where total.counts and s.lexeme = w.lexeme'];
begin
  foreach class in array array['recall_words_all_now', 'recall_words_all_then'] loop
    own := pg_get_functiondef(class::regproc);
    if own !~ turn[1] then
      raise exception '% adds up no rows of lexeme_stats', class;
    end if;
    execute regexp_replace(own, turn[1], turn[2]);
  end loop;
end
$make$;
