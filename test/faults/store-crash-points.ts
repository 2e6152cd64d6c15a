import { once } from 'node:events'
import { FAILPOINTS, type FailpointName } from '../../src/kernel/failpoint.ts'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault } from './fault.ts'
import { captured, openWeb } from './web.ts'
import { leftovers, mismatches, notesOnDisk, openStore, type Store } from './store-process.ts'

const BODY = 'first\n'
/** What makes a note where there was none. */
const MAKES = new Set<Act>(['create', 'capture'])

/** What each tool does to a note, and how the file then ends; null: gone. */
const ACTS = {
  create: null,
  capture: null,
  update: { tool: 'notes_update', args: { body: 'second\n' } },
  edit: { tool: 'notes_edit', args: { edits: [{ old_string: 'first', new_string: 'second' }] } },
  append: { tool: 'notes_append', args: { body: 'second' } },
  delete: { tool: 'notes_delete', args: {} },
  move: { tool: 'notes_update', args: { project: 'delta' } },
} as const
type Act = keyof typeof ACTS

const MATRIX = Object.keys(ACTS).flatMap((act) => FAILPOINTS.map((at) => [act as Act, at] as const))
/** From here on the write has happened, whatever becomes of the process. */
const DECIDED = new Set<FailpointName>(['after-commit', 'before-answer'])

export const storeCrashPoints = defineFault({
  id: 'R04',
  title: 'a crash at any step of a write leaves it wholly undone or wholly done',
  rounds: MATRIX.length,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    await using web = await openWeb()
    const store = await openStore(folder.path, web.env)
    await store.service.stop()
    const outcomes = { before: 0, after: 0, 'not reached': 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const [act, at] =
          rounds < MATRIX.length ? random.pick(MATRIX) : MATRIX[round % MATRIX.length]!
        const slug = `note-${round}`
        outcomes[await crash(store, slug, act, at)]++
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

/** One act on a note of its own, cut off at the failpoint; answers which state the store came to. */
async function crash(
  store: Store,
  slug: string,
  act: Act,
  at: FailpointName,
): Promise<'before' | 'after' | 'not reached'> {
  await store.start({ LOAM_FAILPOINT: `${at}=kill:${MAKES.has(act) ? 1 : 2}` })
  // This start looks at what the act before left, which was put right by the start before.
  const { indexed, forgotten, problems } = await store.caughtUp()
  if (indexed + forgotten + problems > 0) throw new Error('a second look changed something')
  const wire = await openWire(store)
  const ended = once(store.service.process, 'close').then(() => 'ended' as const)
  const acting = perform(wire, slug, act)
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
  const found = (await notesOnDisk(store.dataDir)).filter((note) => note.slug === slug)
  if (found.length > 1) throw new Error(`${act} at ${at}: ${slug} is there twice`)
  const state = stateOf(act, slug, found[0])
  if (state === 'neither') throw new Error(`${act} at ${at}: ${JSON.stringify(found[0])}`)
  if (state === 'before' && (DECIDED.has(at) || outcome === 'answered')) {
    throw new Error(`${act} at ${at}: it was decided and is undone`)
  }
  return outcome === 'answered' ? 'not reached' : state
}

async function perform(wire: Wire, slug: string, act: Act): Promise<void> {
  if (act === 'capture') {
    return void (await call(wire, 'capture_url', { url: captured(slug).url, project: 'atlas' }))
  }
  const title = slug.replace('-', ' ')
  const made = await call(wire, 'notes_create', { title, body: BODY, project: 'atlas' })
  if (act === 'create') return
  const { tool, args } = ACTS[act]
  await call(wire, tool, { id: made['id'], ...args })
}

async function call(wire: Wire, name: string, args: object): Promise<Record<string, unknown>> {
  const { body } = await wire.ask('tools/call', { name, arguments: args })
  if (body.result.isError) throw new Error(body.result.content[0].text)
  return body.result.structuredContent
}

function stateOf(
  act: Act,
  slug: string,
  note: { project: string; body: string } | undefined,
): 'before' | 'after' | 'neither' {
  if (MAKES.has(act)) {
    const whole = act === 'create' ? BODY : captured(slug).body
    return note === undefined ? 'before' : note.body === whole ? 'after' : 'neither'
  }
  if (!note) return act === 'delete' ? 'after' : 'neither'
  if (act === 'move') {
    if (note.body !== BODY) return 'neither'
    return note.project === 'atlas' ? 'before' : note.project === 'delta' ? 'after' : 'neither'
  }
  if (note.body === BODY) return 'before'
  const changed =
    act === 'append' ? /^first\n\n\d{4}-\d\d-\d\d \d\d:\d\d -- second\n$/ : /^second\n$/
  return act !== 'delete' && changed.test(note.body) ? 'after' : 'neither'
}
