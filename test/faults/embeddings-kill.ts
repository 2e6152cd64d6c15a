import { setTimeout as sleep } from 'node:timers/promises'
import { openFolder } from '../helpers/folder.ts'
import { connect } from '../helpers/agent.ts'
import { openProvider } from '../helpers/provider.ts'
import { startService } from '../helpers/service.ts'
import { tell, untilTold, type Where } from './embeddings-told.ts'
import { defineFault } from './fault.ts'

const NOTES = 60
const LIMIT_MS = 60_000

export const embeddingsKill = defineFault({
  id: 'R27',
  title:
    'a service that is killed while it makes all vectors again goes on with it, and lacks none in the end',
  rounds: 40,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    await using provider = await openProvider({ dims: 64 })
    const where = { folder: folder.path, env: provider.env }
    await write(where)
    let resumed = 0
    for (let round = 1; round <= rounds; round++) {
      await using service = await startService(where)
      await settled(where, 'begun')
      provider.fault = { delay: 30 }
      await tell(where, 'reembed')
      await sleep(random.int(1_500))
      await service.stop('SIGKILL')
      provider.fault = undefined
      provider.requests.length = 0

      await using again = await startService(where)
      await settled(where, `round ${round}`)
      if (provider.requests.length > 0) resumed++
      await again.stop()
    }
    return `${resumed} of ${rounds} had something left to do; ${NOTES} items, none without vectors`
  },
})

async function write(where: Where): Promise<void> {
  await using service = await startService(where)
  const agent = await connect({ url: service.url, key: service.key })
  for (let i = 0; i < NOTES; i++) {
    await agent.call('notes_create', { title: `Note ${i}`, body: `text ${i}`, project: 'atlas' })
  }
  await agent.close()
  await settled(where, 'written')
  await service.stop()
}

/** Until nothing waits and nothing is being made again. */
const settled = (where: Where, when: string): Promise<void> =>
  untilTold(where, when, LIMIT_MS, (status) => {
    const busy = /items wait|under way|held up/.test(status)
    return !busy && status.includes(`${NOTES} items; 0 lack vectors, 0 have`)
  })
