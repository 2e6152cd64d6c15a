import { once } from 'node:events'
import { FAILPOINTS, type FailpointName } from '../../src/kernel/failpoint.ts'
import type { Memory } from '../../src/memories/file.ts'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault } from './fault.ts'
import { leftovers, memoriesOnDisk, mismatches, openStore, type Store } from './store-process.ts'

const BODY = 'first\n'

/** What is done to a memory, which of its writes is cut off, and how a file is told to have come after it. */
const ACTS: Record<
  string,
  { tool: string; args: object; writes: number; after(memory: Memory | undefined): boolean }
> = {
  write: { tool: '', args: {}, writes: 1, after: (memory) => memory?.body === BODY },
  rewrite: {
    tool: 'memory_write',
    args: { kind: 'decision', description: 'second', body: 'second\n' },
    writes: 2,
    after: (memory) => memory?.kind === 'decision' && memory.body === 'second\n',
  },
  append: {
    tool: 'memory_append',
    args: { body: 'second' },
    writes: 2,
    after: (memory) => memory?.body === 'first\nsecond\n',
  },
  edit: {
    tool: 'memory_edit',
    args: { edits: [{ old_string: 'first', new_string: 'second' }], tags_add: ['t'] },
    writes: 2,
    after: (memory) => memory?.body === 'second\n' && memory.tags[0] === 't',
  },
  supersede: {
    tool: 'memory_write',
    args: { kind: 'decision', description: 'heir', body: 'heir' },
    writes: 3,
    after: (memory) =>
      memory?.invalid_at !== null && /^first\n\n> Superseded by .*\n$/.test(memory?.body ?? ''),
  },
  delete: { tool: 'memory_delete', args: {}, writes: 2, after: (memory) => memory === undefined },
}
const MATRIX = Object.keys(ACTS).flatMap((act) => FAILPOINTS.map((at) => [act, at] as const))
/** From here on the write has happened, whatever becomes of the process. */
const DECIDED = new Set<FailpointName>(['after-commit', 'before-answer'])

export const memoryCrashPoints = defineFault({
  id: 'R04',
  title: 'a crash at any step of a write to a memory leaves it wholly undone or wholly done',
  rounds: MATRIX.length,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    const store = await openStore(folder.path)
    await store.service.stop()
    const outcomes = { before: 0, after: 0, 'not reached': 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const [act, at] =
          rounds < MATRIX.length ? random.pick(MATRIX) : MATRIX[round % MATRIX.length]!
        outcomes[await crash(store, `memory-${round}`, act, at)]++
        none(await leftovers(store.dataDir), `${act} at ${at}: left behind`)
        await store.service.stop()
        none(await mismatches(store.dataDir), `${act} at ${at}: row and file differ`)
      }
    } finally {
      await store.service.stop('SIGKILL')
    }
    const { before, after } = outcomes
    return `${before} undone, ${after} done, ${outcomes['not reached']} steps that the act does not have`
  },
})

/** One act on a memory of its own, cut off at the failpoint; answers which state the store came to. */
async function crash(
  store: Store,
  name: string,
  act: string,
  at: FailpointName,
): Promise<'before' | 'after' | 'not reached'> {
  const { writes, after } = ACTS[act]!
  await store.start({ LOAM_FAILPOINT: `${at}=kill:${writes}` })
  await store.caughtUp()
  const wire = await openWire(store)
  const ended = once(store.service.process, 'close').then(() => 'ended' as const)
  const acting = perform(wire, name, act)
  const outcome = await Promise.race([
    ended,
    acting.then(
      () => 'answered' as const,
      () => ended,
    ),
  ])
  if (outcome === 'answered') await store.service.stop()
  await acting.catch(() => {})

  await store.start()
  await store.caughtUp()
  const memories = await memoriesOnDisk(store.dataDir)
  const found = memories.find((memory) => memory.name === name)
  const untouched =
    act === 'write' ? found === undefined : found?.body === BODY && found.invalid_at === null
  const done = after(found)
  if (!done && !untouched) throw new Error(`${act} at ${at}: ${JSON.stringify(found)}`)
  if (!done && (DECIDED.has(at) || outcome === 'answered')) {
    throw new Error(`${act} at ${at}: it was decided and is undone`)
  }
  // What replaces it was written before, and stays whatever becomes of the other.
  const heir = memories.find((memory) => memory.name === `heir-of-${name}`)
  if (act === 'supersede' && (heir?.body !== 'heir' || heir.invalid_at !== null)) {
    throw new Error(`supersede at ${at}: the new memory is not kept`)
  }
  return outcome === 'answered' ? 'not reached' : done ? 'after' : 'before'
}

async function perform(wire: Wire, name: string, act: string): Promise<void> {
  const draft = { name, kind: 'gotcha', description: 'first', body: BODY, project: 'atlas' }
  await call(wire, 'memory_write', draft)
  if (act === 'write') return
  const { tool, args } = ACTS[act]!
  const at = act === 'supersede' ? { name: `heir-of-${name}`, supersedes: name } : { name }
  await call(wire, tool, { ...args, ...at, project: 'atlas' })
}

async function call(wire: Wire, name: string, args: object): Promise<void> {
  const { body } = await wire.ask('tools/call', { name, arguments: args })
  if (body.result.isError) throw new Error(body.result.content[0].text)
}
