-- A search of the past in a large scope counted a word that no statistics know among active passages alone. A word that only
-- ended memories have stood in none, and was not searched.

do $make$
declare
  class text;
  own text;
  counted text := '(select from passages p\s+where total\.counts and told\.n is null\s+and )p\.active( and [^@]+@@ w\.query)';
begin
  foreach class in array array['recall_words_some_then', 'recall_words_all_then'] loop
    own := pg_get_functiondef(class::regproc);
    if own !~ counted then
      raise exception '% counts no word that is not told', class;
    end if;
    execute regexp_replace(own, counted, E'\\1p.active\\2\n            union all\n            \\1not p.active\\2');
  end loop;
end
$make$;
