-- A search by words puts the passages of an item side by side. It compared their kinds first, which are mostly equal; their
-- ids, which are mostly not, now come first.

do $make$
declare
  class regprocedure;
  before text;
  after text;
begin
  foreach class in array array(
    select oid::regprocedure from pg_proc
    where proname in ('recall_words_some_now', 'recall_words_some_then', 'recall_words_all_now', 'recall_words_all_then')
  ) loop
    before := pg_get_functiondef(class);
    after := replace(before, 'group by m.kind, m.id, m.chunk', 'group by m.id, m.kind, m.chunk');
    after := replace(after, 'partition by kind, id order by', 'partition by id, kind order by');
    after := replace(after, E'group by kind, id\n', E'group by id, kind\n');
    if length(after) <> length(before) or after = before then
      raise exception 'the search by words is not what it was';
    end if;
    execute after;
  end loop;
end
$make$;
