-- Who wrote a document first and who last, however often it was read since.
create index events_acts_written on events_acts (item_id, ts, id)
  where kind in ('memory.written', 'note.written');
