import { once } from 'node:events'
import { FAILPOINTS, type FailpointName } from '../../src/kernel/failpoint.ts'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault } from './fault.ts'
import { leftovers, memoriesOnDisk, mismatches, openStore, type Store } from './store-process.ts'

const WRITERS = 12
const FACTS = 3
const MATRIX = FAILPOINTS.flatMap((at) => [1, 3, 6, 11, 17].map((nth) => [at, nth] as const))

export const storeGroupCrashPoints = defineFault({
  id: 'R04',
  title: 'a crash at any step of writes that share a transaction leaves each undone or done',
  rounds: MATRIX.length,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    const store = await openStore(folder.path)
    await store.service.stop()
    const counts = { acknowledged: 0, done: 0, undone: 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const [at, nth] =
          rounds < MATRIX.length ? random.pick(MATRIX) : MATRIX[round % MATRIX.length]!
        const found = await crash(store, round, at, nth)
        counts.acknowledged += found.acknowledged
        counts.done += found.done
        counts.undone += found.undone
        none(await leftovers(store.dataDir), `${at}, passing ${nth}: left behind`)
        await store.service.stop()
        none(await mismatches(store.dataDir), `${at}, passing ${nth}: row and file differ`)
      }
    } finally {
      await store.service.stop('SIGKILL')
    }
    const { acknowledged, done, undone } = counts
    return `${acknowledged} acknowledged, 0 lost; without an answer ${done} done, ${undone} undone`
  },
})

/** Many write at once until the process is killed at that passing of the failpoint. */
async function crash(store: Store, round: number, at: FailpointName, nth: number) {
  await store.start({ LOAM_FAILPOINT: `${at}=kill:${nth}` })
  const wires = await Promise.all(Array.from({ length: WRITERS }, () => openWire(store)))
  const ended = once(store.service.process, 'close')
  const asked: string[] = []
  const answered = new Set<string>()
  const writing = wires.map(async (wire, writer) => {
    for (let fact = 0; fact < FACTS; fact++) {
      const name = `fact-${round}-${writer}-${fact}`
      asked.push(name)
      if (await write(wire, name)) answered.add(name)
      else return
    }
  })
  await Promise.race([ended, Promise.all(writing)])
  await Promise.all(writing)
  await store.service.stop('SIGKILL')

  await store.start()
  await store.caughtUp()
  const disk = new Map((await memoriesOnDisk(store.dataDir)).map((each) => [each.name, each]))
  const lost = [...answered].filter((name) => !disk.has(name))
  none(lost, `${at}, passing ${nth}: acknowledged and lost`)
  const torn = asked.filter((name) => disk.has(name) && disk.get(name)?.body !== bodyOf(name))
  none(torn, `${at}, passing ${nth}: neither undone nor done`)
  const done = asked.filter((name) => disk.has(name)).length
  return {
    acknowledged: answered.size,
    done: done - answered.size,
    undone: asked.length - done,
  }
}

const bodyOf = (name: string): string => `${name} holds.\n`.repeat(20)

/** Whether it was acknowledged. */
const write = (wire: Wire, name: string): Promise<boolean> =>
  wire
    .ask('tools/call', {
      name: 'memory_write',
      arguments: {
        ...{ name, kind: 'reference', description: `about ${name}`, body: bodyOf(name) },
        project: 'atlas',
      },
    })
    .then(
      ({ status, body }) => status === 200 && body?.result?.isError !== true,
      () => false,
    )
