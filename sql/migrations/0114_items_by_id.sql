-- A search by words puts the passages of an item side by side. It compared their kinds first, which are mostly equal; their
-- ids, which are mostly not, now come first.

do $make$
declare
  class text;
  own text;
  turn text[];
begin
  foreach class in array array[
    'recall_words_some_now', 'recall_words_some_then', 'recall_words_all_now', 'recall_words_all_then'
  ] loop
    own := pg_get_functiondef(class::regproc);
    foreach turn slice 1 in array array[
      ['group by m.kind, m.id, m.chunk', 'group by m.id, m.kind, m.chunk'],
      ['partition by kind, id order by', 'partition by id, kind order by'],
      [E'group by kind, id\n', E'group by id, kind\n']
    ] loop
      if strpos(own, turn[1]) = 0 then
        raise exception '% has no "%"', class, turn[1];
      end if;
      own := replace(own, turn[1], turn[2]);
    end loop;
    execute own;
  end loop;
end
$make$;
