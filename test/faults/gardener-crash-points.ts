import { once } from 'node:events'
import { FAILPOINTS, type FailpointName } from '../../src/kernel/failpoint.ts'
import type { Memory } from '../../src/memories/file.ts'
import type { Note } from '../../src/notes/file.ts'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault } from './fault.ts'
import {
  leftovers,
  memoriesOnDisk,
  mismatches,
  notesOnDisk,
  openStore,
  type Store,
} from './store-process.ts'

interface Files {
  memories: Memory[]
  notes: Note[]
}

/** What is asked for of two memories, and how the files are told to say it, in whatever way it came about. */
interface Case {
  /** What it needs beside the two. */
  prepare?(wire: Wire, a: string): Promise<void>
  operation(a: string, b: string): object
  done(a: Memory, b: Memory, files: Files): boolean
}

const OPERATIONS: Record<string, Case> = {
  archive: {
    operation: (a) => ({ op: 'archive', target: a, reason: 'over' }),
    done: (a) => a.invalid_at !== null && a.body.split('> Archived').length === 2,
  },
  merge: {
    operation: (a, b) => ({ op: 'merge', keep: b, drop: a }),
    done: (a, b) => a.superseded_by === b.id && a.body.split('> Superseded').length === 2,
  },
  rekind: {
    operation: (a) => ({ op: 'rekind', target: a, to: 'protocol' }),
    done: (a) => a.kind === 'protocol',
  },
  reproject: {
    operation: (a) => ({ op: 'reproject', target: a, to: 'global' }),
    done: (a) => a.project === '',
  },
  consolidate: {
    operation: (a, b) => ({
      ...{ op: 'consolidate', sources: [a, b], name: `all-of-${a}`, body: 'all of it' },
    }),
    done(a, b, { memories }) {
      const made = memories.filter(({ name }) => name === `all-of-${a.name}`)
      return made.length === 1 && [a, b].every((each) => each.superseded_by === made[0]!.id)
    },
  },
  digest: {
    async prepare(wire, project) {
      for (const name of ['harbor', 'cove']) {
        const { session_id: session } = await call(wire, 'session_start', { name, project })
        const findings = `${name} found that the tide turns the lock.`
        await call(wire, 'session_end', { session, findings })
      }
    },
    operation: (to) => ({ op: 'digest', to }),
    done(a, _b, { notes }) {
      const made = notes.filter(({ project }) => project === a.name)
      return made.length === 1 && made[0]!.tags.includes('digest')
    },
  },
}
const MATRIX = Object.keys(OPERATIONS).flatMap((op) => FAILPOINTS.map((at) => [op, at] as const))

export const gardenerCrashPoints = defineFault({
  id: 'P6',
  title: 'an apply that was killed at any step converges when it is applied again',
  rounds: MATRIX.length,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    const store = await openStore(folder.path)
    const outcomes = { 'applied again': 0, 'applied already': 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const [op, at] =
          rounds < MATRIX.length ? random.pick(MATRIX) : MATRIX[round % MATRIX.length]!
        outcomes[await crash(store, round, op, at)]++
        none(await leftovers(store.dataDir), `${op} at ${at}: left behind`)
        await store.service.stop()
        none(await mismatches(store.dataDir), `${op} at ${at}: row and file differ`)
        await store.start()
        await store.caughtUp()
      }
    } finally {
      await store.service.stop('SIGKILL')
    }
    return Object.entries(outcomes)
      .map(([outcome, n]) => `${n} ${outcome}`)
      .join(', ')
  },
})

/** One proposal whose apply is cut off, and which is applied again. */
async function crash(
  store: Store,
  round: number,
  op: string,
  at: FailpointName,
): Promise<'applied again' | 'applied already'> {
  const { prepare, operation, done } = OPERATIONS[op]!
  const names = [`first-${round}`, `second-${round}`] as const
  const first = await openWire(store)
  await prepare?.(first, names[0])
  const id = await proposeOn(first, names, operation(...names))
  await store.service.stop()

  await store.start({ LOAM_FAILPOINT: `${at}=kill:1` })
  await store.caughtUp()
  const ended = once(store.service.process, 'close')
  await Promise.race([
    ended,
    call(await openWire(store), 'gardener_apply', { id }).catch(() => ended),
  ])
  await store.service.stop('SIGKILL')

  await store.start()
  await store.caughtUp()
  const wire = await openWire(store)
  const outcome = await call(wire, 'gardener_apply', { id }).then(
    () => 'applied again' as const,
    (error: Error) => {
      if (!error.message.includes('is already applied')) throw error
      return 'applied already' as const
    },
  )
  const memories = await memoriesOnDisk(store.dataDir)
  const notes = await notesOnDisk(store.dataDir)
  const [a, b] = names.map((name) => memories.find((memory) => memory.name === name))
  if (!a || !b || !done(a, b, { memories, notes })) {
    throw new Error(`${op} at ${at}: ${JSON.stringify([a, b])}`)
  }
  return outcome
}

async function proposeOn(wire: Wire, names: readonly string[], operation: object): Promise<string> {
  for (const name of names) {
    const draft = { name, kind: 'gotcha', description: name, body: `About ${name}\n` }
    await call(wire, 'memory_write', { ...draft, project: 'atlas' })
  }
  const { created, skipped } = await call(wire, 'gardener_request', {
    ...{ request: 'tidy up', project: 'atlas', operations: [operation] },
  })
  if (created.length !== 1) throw new Error(`nothing was proposed: ${skipped}`)
  return created[0]
}

async function call(wire: Wire, name: string, args: object): Promise<any> {
  const { body } = await wire.ask('tools/call', { name, arguments: args })
  if (body.result.isError) throw new Error(body.result.content[0].text)
  return body.result.structuredContent
}
