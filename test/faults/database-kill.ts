import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { none, quantile } from '../attacks/attack.ts'
import { lostFrom, makeStore, openStore, startChild, temporary } from './database-process.ts'
import { defineFault, spread } from './fault.ts'

const REOPENED_WITHIN = 2_000

export const databaseKill = defineFault({
  id: 'R02',
  title: 'an embedded store that is killed under load opens again and keeps what was acknowledged',
  rounds: 100,
  once: true,
  quick: true,
  async run({ rounds, random, timed }) {
    await using folder = await temporary()
    await fill(folder.path)
    const times: number[] = []
    let commits = 0
    for (let round = 0; round < rounds; round++) {
      const child = startChild('write', folder.path)
      const { said, ms } = await child.first
      if (!said.startsWith('OPEN')) throw new Error(`round ${round}: it did not open: ${said}`)
      if (round > 0) times.push(ms)
      await sleep(200 + random.int(2_800))
      await child.kill()
      commits += child.acknowledged.length
      await using database = await openStore(folder.path)
      none(await lostFrom(database, child.acknowledged), 'an acknowledged commit was lost')
    }
    const p95 = quantile(times, 0.95)
    if (timed && p95 > REOPENED_WITHIN) throw new Error(`opened again in ${p95.toFixed(0)} ms`)
    return `${commits} commits, 0 lost; process start to open ${spread(times)}`
  },
})

/** Ten thousand notes' rows, so that the store has the size of one in use. */
async function fill(dir: string): Promise<void> {
  await using database = await makeStore(dir)
  await database.unhurried(() =>
    sql`
      insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
      select lpad(n::text, 26, '0'), 'atlas', 'note-' || n, 'Note ' || n, repeat('words of a note ', 60),
             'notes/atlas/note-' || n || '.md', md5(n::text), loam_now(), loam_now()
      from generate_series(1, 10000) as n`.execute(database.db),
  )
}
