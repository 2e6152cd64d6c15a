import { sql } from 'kysely'
import type { Db } from '../../src/kernel/kernel.ts'
import { sqlState } from '../../src/kernel/sql-state.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { bareKernel } from './kernel.ts'

/** A new database begins with these rows. */
const KEPT = ['clock', 'schema_migrations']
/** Bytes of a table, with its partitions, that holds more than is deleted soon. */
const LARGE = 256 * 1024
const DEADLOCK = '40P01'
const TRIES = 10

/**
 * Small tables lose their rows, without what triggers would do: to truncate a table costs the database several files.
 * Looks again until no table holds rows: work in the background may move them from a table that was seen full to one
 * that was seen empty. It may also go on writing, so that the looks come to an end.
 */
const EMPTY = `
declare
  one record;
  found_rows boolean;
  is_full boolean;
  size bigint;
begin
  set local session_replication_role = replica;
  for looks in 1..10 loop
    is_full := false;
    for one in
      select oid, relname, relkind from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> all(string_to_array(KEPT, ','))
      order by relname
    loop
      execute format('select exists (select from %I)', one.relname) into found_rows;
      continue when not found_rows;
      is_full := true;
      size := greatest(pg_table_size(one.oid), (select sum(pg_table_size(relid)) from pg_partition_tree(one.oid)));
      if size > ${LARGE} then
        execute format('truncate %I cascade', one.relname);
      else
        execute format('delete from %I', one.relname);
      end if;
    end loop;
    exit when not is_full;
  end loop;
  update clock set shift = '0' where shift <> '0';
  -- What a trigger says otherwise: nothing that was counted stands.
  perform nextval('figure_changes');
end`

/** Leaves every table as a new database has it, apart from `kept`. */
export async function emptyTables(db: Db, kept: readonly string[] = []): Promise<void> {
  const block = EMPTY.replace('KEPT', `'${[...KEPT, ...kept].join()}'`)
  await patiently(db, (own) => sql`do ${sql.lit(block)}`.execute(own))
}

/** A house that lives works in its background: it may hold one table and wait for another. */
async function patiently(db: Db, work: (db: Db) => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await inTransaction(bareKernel({ db }), (own) => work(own.db))
      return
    } catch (error) {
      if (sqlState(error) !== DEADLOCK || tries === TRIES) throw error
    }
  }
}
