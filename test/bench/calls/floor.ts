/** What no service can do without: a call that does nothing, a durable file, a commit. */
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openDatabase } from '../../../src/postgres/database.ts'
import { testDatabase } from '../../helpers/database.ts'
import { startNoop } from '../mcp.ts'
import { temporary, timed } from '../measure.ts'
import type { Kind } from './store.ts'

export interface Floor extends AsyncDisposable {
  /** Milliseconds of a call that does nothing, through the SDK's own server. */
  call(): Promise<number>
  /** Of a file that is there whole or not at all, also after a power cut. */
  file(): Promise<number>
  /** Of a commit of one row. */
  commit(): Promise<number>
}

const CALL = { method: 'tools/call', params: { name: 'noop', arguments: { word: 'nothing' } } }
const TEXT = 'A finding of some length, as agents write them. '.repeat(12)

export async function openFloor(kind: Kind): Promise<Floor> {
  const folder = await temporary()
  const noop = await startNoop('sdk')
  const log = pino({ level: 'silent' })
  const dir = join(folder.path, 'db')
  const onServer = kind === 'server'
  const url = onServer ? (await testDatabase({ onDisk: dir, empty: true })).url : undefined
  const database = await openDatabase({ dir, log, ...(url && { url }) })
  await sql`create table one_row (number bigint)`.execute(database.db)
  return {
    call: () => timed(() => noop.ask(CALL)),
    file: () => timed(() => writeWhole(folder.path, TEXT)),
    commit: () => timed(() => sql`insert into one_row values (1)`.execute(database.db)),
    async [Symbol.asyncDispose]() {
      noop.child.kill('SIGKILL')
      await database.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export async function writeWhole(folder: string, text: string): Promise<void> {
  const [temporary, path] = [join(folder, 'bench.tmp'), join(folder, 'bench.md')]
  const file = await open(temporary, 'w')
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await rename(temporary, path)
  const directory = await open(folder)
  await directory.sync()
  await directory.close()
}
