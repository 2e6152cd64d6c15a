import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { MIGRATIONS, migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { openStore, startChild, temporary } from './database-process.ts'
import { defineFault } from './fault.ts'

/** How long a first start and a migration are shot at, in milliseconds. */
const [FIRST_START, MIGRATION] = [6_000, 2_500]

export const databaseFirstStart = defineFault({
  id: 'R05',
  title:
    'a first start or a migration that is killed at any moment succeeds the next time, unaided',
  rounds: 120,
  once: true,
  async run({ rounds, random }) {
    const steps = await readMigrations()
    await using folder = await temporary()
    const old = await makeOld(folder.path)
    let early = 0
    for (let round = 0; round < rounds; round++) {
      const first = round % 2 === 0
      const dir = join(folder.path, `store-${round}`)
      if (!first) await cp(old, dir, { recursive: true })
      const child = startChild('open', dir)
      // Spread evenly, each at a place of its own within its share.
      const span = first ? FIRST_START : MIGRATION
      await sleep(((Math.floor(round / 2) + random.int(100) / 100) / Math.ceil(rounds / 2)) * span)
      await child.kill()
      if ((await child.first).said === '') early++

      const next = startChild('open', dir)
      const { said } = await next.first
      const { code } = await next.exit
      if (!said.startsWith('OPEN') || code !== 0)
        throw new Error(`round ${round}, ${first ? 'first start' : 'migration'}: ${said || code}`)
      await using database = await openStore(dir)
      const { rows } = await sql<{ name: string }>`
        select name from schema_migrations order by number`.execute(database.db)
      const applied = rows.map(({ name }) => name)
      if (applied.join() !== steps.map(({ name }) => name).join())
        throw new Error(`round ${round}: the schema stands at ${applied.at(-1)}`)
      await database.close()
      await rm(dir, { recursive: true })
    }
    return `${rounds} of ${rounds} started again, ${early} of them killed before they were open`
  },
})

/** A store at the first step of the schema, with the rest before it. */
async function makeOld(root: string): Promise<string> {
  const [dir, folder] = [join(root, 'old'), join(root, 'steps')]
  const [first] = await readMigrations()
  await cp(new URL(first?.name ?? '', MIGRATIONS), join(folder, first?.name ?? ''))
  await using database = await openStore(dir)
  await migrate(database, { folder: pathToFileURL(`${folder}/`) })
  return dir
}
