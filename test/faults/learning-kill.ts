import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { none, type Random } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { startService, type Service } from '../helpers/service.ts'
import { serverMissing } from './database-server.ts'
import { tell, untilTold, type Where } from './embeddings-told.ts'
import { defineFault } from './fault.ts'
import { askByMeaning, ROOMY, stockBy, Written } from './meant.ts'
import { openProcesses } from './processes.ts'

/** The lease of a process that was killed while it learned runs out first, after a minute. */
const LIMIT_MS = 180_000
/** From a start until learning, reading and turning are done, and more. */
const SPELL_MS = 6_000

export const learningKill = defineFault({
  id: 'R27',
  title:
    'a service that is killed while it learns, reads or turns to what it learned loses nothing and finds by meaning',
  rounds: 40,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    const where = { folder: folder.path, env: ROOMY }
    const known = new Written()
    {
      await using service = await startService(where)
      await stockBy(service)
      await service.stop()
    }
    {
      await using service = await startService(where)
      await settled(where, 'stocked')
      await service.stop()
    }
    let [unfinished, fitters] = [0, 0]
    for (let round = 1; round <= rounds; round++) {
      await tell(where, 'reembed')
      await using service = await startService(where)
      await known.write(service)
      const work = known.writeUntilKilled(service)
      const fitter = await killedFitter(service, random)
      if (fitter) fitters++
      await sleep(random.int(SPELL_MS))
      await service.stop('SIGKILL')
      await work

      await using again = await startService(where)
      await askByMeaning(again, `round ${round}`)
      if (/is under way/.test(await tell(where, 'status'))) unfinished++
      await settled(where, `round ${round}`)
      none(await known.missing(again), `round ${round}: lost`)
      await askByMeaning(again, `at the end of round ${round}`)
      await again.stop()
    }
    return (
      `${unfinished} of ${rounds} were killed on the way, ${fitters} lost the process that learns as well; ` +
      `${known.count} notes were acknowledged, 0 lost`
    )
  },
})

export const learningProcesses = defineFault({
  id: 'R22',
  title:
    'two processes learn one model, and while one of them is killed the other finds by meaning',
  rounds: 20,
  missing: serverMissing,

  async run({ rounds, random, full }) {
    await using processes = await openProcesses({ count: 2, full, env: ROOMY })
    const { services, start, url } = processes
    const where = { folder: dirname(services[0]!.dataDir), env: { LOAM_DATABASE_URL: url } }
    const known = new Written()
    await stockBy(services[0]!)
    await services[0]!.stop()
    services[0] = await start()
    await settled(where, 'stocked')
    let asked = 0
    for (let round = 1; round <= rounds; round++) {
      const victim = random.int(2)
      const other = services[1 - victim]!
      await known.write(other)
      await tell(where, 'reembed')
      // Whoever starts learns at once.
      await services[victim]!.stop()
      services[victim] = await start()
      const work = known.writeUntilKilled(services[victim]!)
      const end = performance.now() + random.int(SPELL_MS)
      do {
        await askByMeaning(other, `round ${round}`)
        asked++
      } while (performance.now() < end)
      await services[victim]!.stop('SIGKILL')
      await work
      services[victim] = await start()
      await settled(where, `round ${round}`)
      none(await known.missing(other), `round ${round}: lost`)
    }
    return `${asked} questions found by meaning; ${known.count} notes were acknowledged, 0 lost`
  },
})

/** Until a model answers that was learned since the owner asked, and no passage waits for it. */
const settled = (where: Where, when: string): Promise<void> =>
  untilTold(where, when, LIMIT_MS, (status) => {
    const isDone = !status.includes('is under way') && / 0 lack vectors, /.test(status)
    return isDone && status.includes('answering since')
  })

/** In one of four rounds kills the process that learns as soon as there is one. Returns whether there was one. */
async function killedFitter({ pid }: Service, random: Random): Promise<boolean> {
  if (random.int(4) > 0) return false
  const end = performance.now() + SPELL_MS
  while (performance.now() < end) {
    const child = await fitterOf(pid)
    if (child !== undefined) {
      process.kill(child, 'SIGKILL')
      return true
    }
    await sleep(20)
  }
  return false
}

/** Its process that learns, as the system lists them. */
async function fitterOf(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  for (const child of children.split(' ').filter(Boolean)) {
    const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
    if (command.includes('fit-process')) return Number(child)
  }
  return undefined
}
