import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openProvider, type FakeProvider } from '../helpers/provider.ts'
import { startService } from '../helpers/service.ts'
import { tell, untilTold, type Where } from './embeddings-told.ts'
import { defineFault } from './fault.ts'
import { askByMeaning, ROOMY, stockBy, Written } from './meant.ts'

const LIMIT_MS = 120_000
/** From a start until all is read; and from then until it is checked. */
const [READING_MS, CHECKING_MS] = [3_000, 400]
/** Long enough for a kill to meet the check among its requests. */
const DELAY_MS = 30

export const checkKill = defineFault({
  id: 'R27',
  title:
    'a service that is killed while it checks a configured model loses nothing, finds by meaning, and has checked it in the end',
  rounds: 20,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    await using provider = await openProvider({ dims: 64 })
    const where = { folder: folder.path, env: { ...ROOMY, ...provider.env } }
    const known = new Written()
    {
      await using service = await startService(where)
      await stockBy(service)
      await checked(where, 'stocked')
      await service.stop()
    }
    const passages = Number(/: (\d+) passages of/.exec(await tell(where, 'status'))![1])
    let [reading, checking] = [0, 0]
    for (let round = 1; round <= rounds; round++) {
      provider.fault = { delay: DELAY_MS }
      await tell(where, 'reembed')
      await using service = await startService(where)
      const work = known.writeUntilKilled(service)
      const before = textsOf(provider)
      // Whatever it reads beyond the passages and what was written is of the check.
      const isRead = (): boolean => textsOf(provider) - before > passages + known.count
      if (random.int(3) > 0) {
        await until(isRead, `round ${round}`)
        await sleep(random.int(CHECKING_MS))
      } else await sleep(random.int(READING_MS))
      await service.stop('SIGKILL')
      await work
      provider.fault = undefined

      if (!isRead()) reading++
      else if (!isChecked(await tell(where, 'status'))) checking++
      await using again = await startService(where)
      await askByMeaning(again, `round ${round}`)
      await checked(where, `round ${round}`)
      none(await known.missing(again), `round ${round}: lost`)
      await again.stop()
    }
    return (
      `${reading} of ${rounds} were killed while they read, ${checking} before the check was done; ` +
      `${known.count} notes were acknowledged, 0 lost`
    )
  },
})

const textsOf = ({ requests }: FakeProvider): number =>
  requests.reduce((sum, { texts }) => sum + texts.length, 0)

async function until(isRead: () => boolean, when: string): Promise<void> {
  const end = performance.now() + LIMIT_MS
  while (!isRead()) {
    if (performance.now() > end) throw new Error(`${when}: the store is not read, or not checked`)
    await sleep(20)
  }
}

const isChecked = (status: string): boolean => status.includes('checked on')

const checked = (where: Where, when: string): Promise<void> =>
  untilTold(
    where,
    when,
    LIMIT_MS,
    (status) => isChecked(status) && !/items wait|under way|held up/.test(status),
  )
