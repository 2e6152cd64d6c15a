import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MIGRATIONS, readMigrations } from '../../src/postgres/migrate.ts'
import { withServer } from '../helpers/postgres.ts'
import { startChild, temporary } from './database-process.ts'
import type { Child } from './database-process.ts'
import { emptyDatabase, serverMissing, startServer } from './database-server.ts'
import { defineFault } from './fault.ts'

const PROCESSES = 8

export const databaseMigrations = defineFault({
  id: 'R21',
  title:
    'of eight processes that start at once each step of the schema is taken by one, and an older one refuses',
  rounds: 20,
  missing: serverMissing,
  async run({ rounds, full }) {
    await using server = full ? await startServer() : null
    const steps = await readMigrations()
    await using folder = await temporary()
    const oldest = join(folder.path, 'oldest')
    const [first] = steps
    await cp(new URL(first?.name ?? '', MIGRATIONS), join(oldest, first?.name ?? ''))
    for (let round = 0; round < rounds; round++) {
      const url = await emptyDatabase(server?.url ?? process.env['LOAM_TEST_DATABASE_URL']!)
      const old = round % 2 === 1
      if (old) await expectTaken([startChild('open', url, pathToFileURL(`${oldest}/`))], 1)
      const all = Array.from({ length: PROCESSES }, () => startChild('open', url))
      await expectTaken(all, steps.length - (old ? 1 : 0))

      await withServer(url, (client) =>
        client.query(`insert into schema_migrations values (9999, '9999_later.sql', '')`),
      )
      const older = startChild('open', url)
      const { said } = await older.first
      if ((await older.exit).code !== 1 || !said.includes('start the newer version again'))
        throw new Error(`round ${round}: the older version said: ${said}`)
    }
    return `${rounds} × ${PROCESSES} processes, 0 errors`
  },
})

/** All of them open, and together they took so many steps. */
async function expectTaken(all: readonly Child[], steps: number): Promise<void> {
  const said = await Promise.all(all.map(async ({ first }) => (await first).said))
  const codes = await Promise.all(all.map(async ({ exit }) => (await exit).code))
  const taken = said.map((line) => Number(/^OPEN (\d+)$/.exec(line)?.[1] ?? Number.NaN))
  const sum = taken.reduce((a, b) => a + b, 0)
  if (sum !== steps || codes.some((code) => code !== 0))
    throw new Error(`${steps} steps were to be taken once: ${said.join('; ')}`)
}
