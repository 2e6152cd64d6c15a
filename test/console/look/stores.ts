/** The stores that are looked at: one full of six weeks of work, and one that begins and is filled in steps. */
import { DEMO_NOW, openDemo } from '../../helpers/demo.ts'
import { buildHouse, type House } from '../../helpers/build-house.ts'
import { callHook } from '../../helpers/call-hook.ts'
import { research } from '../../helpers/research.ts'
import { madeUp } from './made-up.ts'

/**
 * In the order in which they come to be: the last three are one store, as its first days go by. The one with `features`
 * is full, and every optional feature has been on in it from the first day on.
 */
export const STORES = ['full', 'features', 'keyless', 'new', 'quiet', 'long'] as const
export type Store = (typeof STORES)[number]

/** The pages of a store, as JSON or as text. */
export interface Asker {
  json(path: string): Promise<any>
  text(path: string): Promise<string>
}

export interface OpenStore {
  house: House
  ask: Asker
  /** What a browser takes for the present; its own clock where this is left out. */
  now?: Date
  /** Sets its clock back to that present. */
  rewind(): Promise<void>
}

const noClock = async (): Promise<void> => {}

/** The stores, each opened when it is first asked for. Those of one house are to be asked for in order. */
export class Stores implements AsyncDisposable {
  readonly #scale: number
  readonly #open = new Map<Store, Promise<OpenStore>>()
  #young: Promise<House> | undefined

  constructor(scale: number) {
    this.#scale = scale
  }

  open(store: Store): Promise<OpenStore> {
    const known = this.#open.get(store) ?? this.#make(store)
    this.#open.set(store, known)
    return known
  }

  async #make(store: Store): Promise<OpenStore> {
    if (store === 'full' || store === 'features') {
      const { house, rewind } = await openDemo({
        ...{ scale: this.#scale, screens: madeUp },
        ...(store === 'features' && { features: ['research', 'momentum', 'gamification'] }),
      })
      return { house, ask: askerOf(house), now: new Date(DEMO_NOW), rewind }
    }
    if (store === 'keyless') {
      const house = await buildHouse({ env: { LOAM_MCP_API_KEY: '' }, screens: madeUp })
      return { house, ask: askerOf(house), rewind: noClock }
    }
    const house = await (this.#young ??= buildHouse({ screens: madeUp }))
    if (store === 'quiet') await passQuietly(house)
    if (store === 'long') await writeLong(house)
    return { house, ask: askerOf(house), rewind: noClock }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values())
    const houses = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value.house] : []))
    await Promise.all([...new Set(houses)].map((house) => house[Symbol.asyncDispose]()))
  }
}

function askerOf({ url, key }: House): Asker {
  const ask = (path: string, accept: string) =>
    fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}`, accept } })
  return {
    json: async (path) => (await ask(path, 'application/json')).json(),
    text: async (path) => (await ask(path, 'text/html')).text(),
  }
}

/** One session came and went, and left nothing. */
async function passQuietly(house: House): Promise<void> {
  const session = { session_id: 'the-first', cwd: '/work/atlas' }
  await callHook(house, 'session-start', { ...session, source: 'startup' })
  await callHook(house, 'session-end', { ...session, reason: 'exit' })
  await house.app.kernel.telemetry.flush()
}

/** A word that nothing can break, words of both directions, and a text that goes on and on. */
const WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const BOTH = 'שלום עולם 🌱 مرحبا بالعالم 検索インデックスの再構築'
const LONG = `${WORD} ${BOTH} ${'and on and on '.repeat(10)}${WORD}`
const SLUG = 'payments-gateway-of-the-second-generation-and-all-its-adapters'

const BODY = `# ${WORD}

${WORD.repeat(5)}

\`${WORD.repeat(3)}\` https://example.com/${WORD.repeat(3)}

\`\`\`ts
const a = 1 // ${'x'.repeat(300)}
\`\`\`

|${`${WORD}|`.repeat(6)}
|${'-|'.repeat(6)}
|${'1|'.repeat(6)}

> ${BOTH}

${'Text.\n\n'.repeat(60)}`

/** Everything that an agent can write, as long as it may be. */
async function writeLong(house: House): Promise<void> {
  const agent = await house.connect(WORD)
  const project = SLUG
  await agent.call('session_start', { name: `${WORD} ${WORD}`.slice(0, 120), project, model: WORD })
  const tags = [WORD.slice(0, 60), 'plan:search-under-50ms', '🏷️']
  const title = LONG.slice(0, 190)
  await agent.call('notes_create', {
    ...{ title, project, tags, body: BODY, description: LONG },
    source_url: `https://example.com/${WORD.repeat(4)}`,
  })
  await agent.call('notes_create', { title: BOTH, body: 'שלום\n\n> مرحبا\n', project: 'global' })
  await agent.call('notes_create', { title: 'x', body: '–', project })
  const name = 'a-name-that-says-all-there-is-to-say-about-the-matter-at-hand-and-a-little-more'
  await agent.call('memory_write', {
    ...{ name, project, kind: 'convention', description: LONG.slice(0, 280), body: BODY, tags },
  })
  await agent.call('memory_write', {
    ...{ name: 'short', project, kind: 'gotcha', description: '–', body: '–' },
  })
  const plan = 'a-plan-with-a-very-long-name-that-never-comes-to-its-end-whatever-one-does'
  const { id } = await agent.call('tasks_add', { title, body: BODY, project, plan })
  await agent.call('tasks_add', { title: BOTH, project, depends_on: [id] })
  await agent.call('tasks_claim', { id })
  await agent.raw('memory_read', { name: `${WORD}-${WORD}`.slice(0, 120) })
  await agent.call('recall', { query: LONG.slice(0, 400) })
  await agent.call('session_update', { findings: BODY })
  await research(house)
  const trial = { lab: LONG.slice(0, 190), project, changes: BODY, expected: LONG, actual: BODY }
  const metrics = { [WORD]: 1_234_567.891, p95_ms: 38, nodes: { [WORD]: [WORD.repeat(3)] } }
  await agent.call('trial_record', {
    title: LONG.slice(0, 480),
    outcome: 'pass',
    ...trial,
    metrics,
  })
  await agent.call('trial_record', { ...trial, title: BOTH, outcome: LONG.slice(0, 190), metrics })
  await agent.call('trial_record', { title: 'x', lab: 'x', project })
  const other = await house.connect('other')
  await other.call('session_start', { name: 'other', project })
  await other.call('session_end', { findings: LONG, mishaps: [LONG, WORD] })
  await house.app.kernel.telemetry.flush()
}
