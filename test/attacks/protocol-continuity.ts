import { sql } from 'kysely'
import { bindConnection } from '../../src/mcp/connections.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineAttack, inParallel, none } from './attack.ts'
import { startProduct, type Product } from './product.ts'

const SESSIONS = 100

/** Clients do not recover from a 404, so none may ever see one that did not end its session. */
export const protocolContinuity = defineAttack({
  id: 'P9, R24',
  title: '100 sessions go on with their id, project and session after every kill -9',
  rounds: 10,

  async run({ rounds, random, log }) {
    await using product = await startProduct()
    const wires: Wire[] = []
    await inParallel(SESSIONS, 20, async () => void wires.push(await openWire(product)))
    const ended = wires.splice(0, 10)
    await product.killAndRestart(() => bindAll(product, wires))
    await Promise.all(ended.map((wire) => wire.send({ method: 'DELETE' })))

    const lost: unknown[] = []
    for (let round = 0; round < rounds; round++) {
      const titles = wires.map((_, index) => `round ${round} agent ${index}`)
      await inParallel(wires.length, 20, async (index) => {
        const title = titles[index]!
        const { status, body } = await wires[index]!.ask('tools/call', {
          name: 'notes_create',
          arguments: { title, body: 'x' + random.text(50).replaceAll('\0', '').toWellFormed() },
        })
        const project: unknown = body?.result?.structuredContent?.project
        if (project !== projectOf(index)) lost.push({ round, index, status, body })
      })
      await product.killAndRestart()
    }
    await inParallel(ended.length, 5, async (index) => {
      const { status } = await ended[index]!.ask('ping')
      if (status !== 404) lost.push({ ended: index, status })
    })
    log(`${wires.length} sessions through ${rounds + 1} kills`)
    none(lost, 'a session that did not go on as it was')
  },
})

const projectOf = (index: number): string => `project-${index % 7}`

/** What session_start does, while the product is down. */
async function bindAll({ service }: Product, wires: readonly Wire[]): Promise<void> {
  await using database = await openTestDatabase({ onDisk: service.dataDir })
  for (const [index, wire] of wires.entries()) {
    const id = `S${index}`
    await sql`insert into sessions (id, name, project)
              values (${id}, ${`agent-${index}`}, ${projectOf(index)})`.execute(database.db)
    await bindConnection(database.db, wire.id, id)
  }
}
