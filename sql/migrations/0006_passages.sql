-- Passages: what recall searches. A note is many, anything else is one. All of it is derived.

-- Projects as integers, for the columns that every search filters by. 0 is the global scope.
alter table projects add number integer generated always as identity unique;

create table passages (
  kind text collate "C" not null,
  id text collate "C" not null,
  chunk integer not null,                     -- stays with its text when text before it is changed; not the order
  project integer not null,
  active boolean not null,
  place integer not null,                     -- where it begins in the item's text, in characters
  size integer not null,                      -- in characters; the text itself stays with its item
  length integer not null,                    -- in words, as BM25 counts them
  normaliser smallint not null,               -- rows of an older one are indexed again in the background
  hash text collate "C" not null,             -- of the text as it was indexed, title included
  words tsvector not null,                    -- finished lexemes; as many positions as each has occurrences
  primary key (kind, id, chunk)
);
-- Words stay in the row, uncompressed up to 8 kB: a search unpacks them once for each of its words.
alter table passages set (toast_tuple_target = 8160);
create index passages_words on passages using gin (project, words) where active;
create index passages_normaliser on passages (normaliser);

-- Items whose indexing goes on in the background: long texts, and rows of an older normaliser.
create table passage_queue (
  kind text collate "C" not null,
  id text collate "C" not null,
  passages integer not null,                  -- how many the item will have
  queued_at timestamptz(3) not null default loam_now(),
  primary key (kind, id)
);
create index passage_queue_turn on passage_queue (queued_at);

-- In how many active passages of a project a lexeme stands. Told to searches over much, by which words to begin.
create table lexeme_stats (
  lexeme text collate "C" not null,
  project integer not null,
  passages integer not null,
  primary key (lexeme, project)
);

-- How many active passages a project has, and how many words in them.
create table passage_totals (
  project integer primary key,
  passages bigint not null,
  length bigint not null
);

-- What the two tables above have not yet been told. Writers only insert here, so none waits for another.
create table passage_changes (
  number bigint generated always as identity primary key,
  project integer not null,
  passages integer not null,
  length bigint not null,
  lexemes text[] not null,
  changes smallint[] not null
);
-- Rows come and go with every write, and every search looks here: what is dead must not pile up.
alter table passage_changes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index passage_changes_project on passage_changes (project) include (passages, length);
