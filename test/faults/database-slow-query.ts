import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { awayBecause } from '../../src/postgres/database-problem.ts'
import type { Database } from '../../src/postgres/database.ts'
import { makeStore, temporary } from './database-process.ts'
import { defineFault, spread } from './fault.ts'

const HEALTH_WITHIN = 100
const ENDED_WITHIN = 5_000

export const databaseSlowQuery = defineFault({
  id: 'R26',
  title: 'a query without an end on the embedded database ends, and health is told all the while',
  rounds: 10,
  once: true,
  quick: true,
  async run({ rounds, timed }) {
    await using folder = await temporary()
    await using database = await makeStore(folder.path)
    const health = await watchHealth(database)
    const [ended, back]: [number[], number[]] = [[], []]
    try {
      for (let round = 0; round < rounds; round++) {
        const began = performance.now()
        const slow = sql`select count(*) from generate_series(1, 100000000000)`.execute(database.db)
        const error = await slow.then(
          () => 'an answer',
          (cause: unknown) => cause,
        )
        ended.push(performance.now() - began)
        if (awayBecause(error) === null) throw new Error(`it ended with ${String(error)}`)
        const broken = performance.now()
        while (!(await works(database))) await sleep(20)
        back.push(performance.now() - broken)
      }
    } finally {
      health.stop()
    }
    const slowest = Math.max(...health.times)
    if (timed && slowest > HEALTH_WITHIN) throw new Error(`health: ${spread(health.times)}`)
    if (timed && Math.max(...ended) > ENDED_WITHIN) throw new Error(`ended: ${spread(ended)}`)
    return `ended after ${spread(ended)}; back after ${spread(back)}; health told within ${spread(health.times)}`
  },
})

/** Half a second of work, as an ordinary search over much may take. */
const works = (database: Database): Promise<boolean> =>
  sql`select count(*) from generate_series(1, 1000000)`.execute(database.db).then(
    () => true,
    () => false,
  )

/** Asks for health over HTTP every 50 ms. */
async function watchHealth(database: Database): Promise<{ times: number[]; stop(): void }> {
  const server = createServer((_, reply) => reply.end(JSON.stringify(database.health())))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const times: number[] = []
  const ask = (): void => {
    const began = performance.now()
    // A connection of its own: one that is kept may be closed by the server while the question is on its way.
    const asked = request({ port, host: '127.0.0.1', agent: false }, (answer) => {
      answer.resume().on('end', () => times.push(performance.now() - began))
    })
    asked.on('error', () => stopped || times.push(Infinity)).end()
  }
  const timer = setInterval(ask, 50)
  let stopped = false
  const stop = (): void => {
    stopped = true
    clearInterval(timer)
    server.close()
  }
  return { times, stop }
}
