import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { none, type Random } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault, spread } from './fault.ts'
import {
  leftovers,
  mismatches,
  notesOnDisk,
  openStore,
  untilHealth,
  type Store,
} from './store-process.ts'

const PRELOAD = new URL('./disk-preload.ts', import.meta.url)
const WELL_WITHIN = 5_000

const FAILED = 'storage failed; see the log of the server'
const UNDECIDED =
  'storage failed while the change was being made; read the item again before you repeat it'
/** What a write is told while a step of it fails. Before the rename nothing of it has happened. */
const STEPS = {
  open: FAILED,
  write: FAILED,
  sync: FAILED,
  rename: FAILED,
  read: FAILED,
  'sync directory': UNDECIDED,
} as const
type Step = keyof typeof STEPS

export const storeFailing = defineFault({
  id: 'R16',
  title:
    'a disk that begins to fail is named, acknowledges nothing, and is well again when it works',
  rounds: 30,

  async run({ rounds, random, timed }) {
    await using folder = await openFolder()
    const trouble = join(folder.path, 'trouble')
    const env = { NODE_OPTIONS: `--import ${PRELOAD.href}`, TEST_DISK_TROUBLE: trouble }
    const store = await openStore(folder.path, env)
    const times: number[] = []
    try {
      const wire = await openWire(store)
      const first = { title: 'First', body: 'B', project: 'atlas' }
      const { id } = await done(wire, 'notes_create', first)
      for (const [round, step] of stepsFor(rounds, random).entries()) {
        const before = await written(store)
        await writeFile(trouble, step)
        // A new file is not read, so that a disk that fails to read shows in an append.
        const said =
          step === 'read' || random.int(2) === 0
            ? await refused(wire, 'notes_append', { id, body: `round ${round}` })
            : await refused(wire, 'notes_create', { ...first, title: `Round ${round}` })
        if (said.replace(/^\w+: /, '') !== STEPS[step]) throw new Error(`${step}: ${said}`)
        // What is not on the disk that fails is still answered.
        await done(wire, 'recall', { query: 'first', project: 'atlas' })
        await untilHealth(store, (status) => status === 'degraded')
        await rm(trouble)
        const began = performance.now()
        await untilHealth(store, (status) => status === 'ok')
        times.push(performance.now() - began)
        if (step !== 'sync directory') {
          const after = await written(store)
          if (after !== before) throw new Error(`${step}: something was done:\n${before}\n${after}`)
        }
        await done(wire, 'notes_append', { id, body: `well after round ${round}` })
        none(await leftovers(store.dataDir), `${step}: left behind`)
      }
      // A change of two files is written down before the first of them: a later start carries it out.
      await writeFile(trouble, 'rename')
      const said = await refused(wire, 'notes_update', { id, project: 'ember' })
      if (said !== `notes_update: ${UNDECIDED}`) throw new Error(`a move: ${said}`)
      await store.service.stop('SIGKILL')
      await rm(trouble)
      await store.start()
      await store.caughtUp()
      const moved = await done(await openWire(store), 'notes_read', { id })
      if (moved['project'] !== 'ember') throw new Error(`not moved: ${JSON.stringify(moved)}`)
      none(await leftovers(store.dataDir), 'left behind by a move')
      await store.service.stop()
      none(await mismatches(store.dataDir), 'row and file differ')
      if (timed && Math.max(...times) > WELL_WITHIN)
        throw new Error(`well again after ${spread(times)}`)
      return `${times.length} writes not acknowledged, none done before its rename; well again after ${spread(times)}`
    } finally {
      await store.service.stop('SIGKILL')
    }
  },
})

/** All of them in turn; in a short run the one after the rename, and one by chance. */
function stepsFor(rounds: number, random: Random): Step[] {
  const steps = Object.keys(STEPS) as Step[]
  if (rounds < steps.length) return ['sync directory', random.pick(steps)]
  return Array.from({ length: rounds }, (_, round) => steps[round % steps.length]!)
}

const written = async ({ dataDir }: Store): Promise<string> =>
  (await notesOnDisk(dataDir))
    .map(({ path, hash }) => `${path} ${hash}`)
    .sort()
    .join('\n')

/** What a call that must be done answers. */
async function done(wire: Wire, name: string, args: object): Promise<Record<string, any>> {
  const { body } = await wire.ask('tools/call', { name, arguments: args })
  if (body?.result?.isError !== undefined || body?.result === undefined) {
    throw new Error(`${name}: ${JSON.stringify(body)}`)
  }
  return body.result.structuredContent
}

/** The words of a call that must be refused. */
async function refused(wire: Wire, name: string, args: object): Promise<string> {
  const { body } = await wire.ask('tools/call', { name, arguments: args })
  if (!body?.result?.isError) throw new Error(`${name} was acknowledged: ${JSON.stringify(body)}`)
  return body.result.content[0].text
}
