import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { newId } from '../../src/kernel/id.ts'
import { startService } from '../helpers/service.ts'
import { openStore, temporary } from './database-process.ts'
import { defineFault } from './fault.ts'

const MEMORIES = 400
/** A round of tidying begins a minute after a start, and takes a second and more for each table. */
const LEFT_ALONE_MS = 100_000
/** Where others use the machine, one round may not come to it. */
const ROUNDS = 3

export const databaseUntidy = defineFault({
  id: 'M02',
  title: 'what an import brought is vacuumed and analysed by a service that is left alone',
  rounds: 1,
  once: true,
  missing: ({ full }) => (full ? null : 'it waits for two minutes'),
  async run({ log }) {
    await using folder = await temporary()
    const dataDir = join(folder.path, 'loam-data')
    await writeMemories(join(dataDir, 'memory', 'atlas'))
    for (let round = 1; round <= ROUNDS; round++) {
      await using service = await startService({
        folder: folder.path,
        env: { LOAM_DATABASE_URL: '' },
      })
      await sleep(LEFT_ALONE_MS)
      await service.stop()
      const untidy = await lookAt(join(dataDir, 'db'))
      if (untidy.length === 0) return `${MEMORIES} memories, tidy in round ${round}`
      log(`round ${round}: still untidy: ${untidy.join(', ')}`)
    }
    throw new Error(`not tidied in ${ROUNDS} rounds`)
  },
})

async function writeMemories(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const at = new Date()
  for (let n = 0; n < MEMORIES; n++) {
    const head = [`id: ${newId(at)}`, `name: fact-${n}`, `description: What holds of part ${n}`]
    const more = [
      'kind: reference',
      'project: atlas',
      ...['created', 'updated'].map((when) => `${when}: ${at.toISOString()}`),
    ]
    const text = `---\n${[...head, ...more].join('\n')}\n---\n\nPart ${n} is made of ${n * 7}.\n`
    await writeFile(join(folder, `fact-${n}.md`), text)
  }
}

/** The tables of what was imported that no plan knows, or of which no index answers by itself. */
async function lookAt(dir: string): Promise<string[]> {
  await using database = await openStore(dir)
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where oid in ('files'::regclass, 'memories'::regclass, 'passages'::regclass)
      and (reltuples < ${MEMORIES} or relallvisible = 0)`.execute(database.db)
  return rows.map(({ name }) => name)
}
