/** Who asks for every item that was acknowledged, in every way that an agent has, and how it was answered. */
import { STILL_READING } from '../../src/kernel/catch-up.ts'
import { openWire, send, type Wire } from '../helpers/wire.ts'

export interface Item {
  kind: 'note' | 'memory'
  id: string
  name: string
  /** Where it may lie: in two places after a move of which no answer came. */
  projects: string[]
  /** A word that no other item has. */
  word: string
  /** Whether it was acknowledged with its rows owed. */
  owed: boolean
}

type Where = { url: string; key: string }

export interface Tally {
  /** The answers that were right, and those that said that the store is still being read. */
  found: number
  still: number
  /** Milliseconds from the first question to the first right answer; -1: there was none. */
  firstMs: number
  denied: string[]
}

export const noTally = (): Tally => ({ found: 0, still: 0, firstMs: -1, denied: [] })

/** Calls a tool; answers its result, or its refusal in words. */
export async function call(
  wire: Wire,
  tool: string,
  args: object,
): Promise<Record<string, any> | string> {
  const { status, body, text } = await wire.ask('tools/call', { name: tool, arguments: args })
  if (status !== 200 || !body?.result) return `status ${status}: ${text.slice(0, 200)}`
  const { isError, content, structuredContent } = body.result
  return isError ? String(content[0].text) : structuredContent
}

/** Asks for each item by id, by name in each of its projects, and by recall, eight questions at a time. */
export async function askForAll(where: Where, items: readonly Item[], tally: Tally): Promise<void> {
  const began = performance.now()
  const right = (): void => {
    tally.found++
    if (tally.firstMs < 0) tally.firstMs = performance.now() - began
  }
  const questions = items.flatMap((item) => [
    (wire: Wire) => askById(wire, item),
    (wire: Wire) => askByName(wire, item),
    (wire: Wire) => askByRecall(wire, item),
  ])
  const wires = await Promise.all(Array.from({ length: 8 }, () => openWire(where)))
  await Promise.all(
    wires.map(async (wire) => {
      for (let next = questions.shift(); next; next = questions.shift()) {
        const answer = await next(wire)
        if (answer === 'found') right()
        else if (answer.includes(STILL_READING)) tally.still++
        else tally.denied.push(answer)
      }
    }),
  )
}

async function askById(wire: Wire, { kind, id }: Item): Promise<string> {
  const tool = kind === 'note' ? 'notes_read' : 'memory_read'
  const answer = await call(wire, tool, { id })
  return typeof answer === 'string' ? `by id: ${answer}` : 'found'
}

async function askByName(wire: Wire, { kind, name, projects }: Item): Promise<string> {
  const answers = await Promise.all(
    projects.map((project) =>
      kind === 'note'
        ? call(wire, 'notes_read', { slug: name, project })
        : call(wire, 'memory_read', { name, project }),
    ),
  )
  if (answers.some((answer) => typeof answer === 'object')) return 'found'
  const still = answers.find((answer) => String(answer).includes(STILL_READING))
  return `by name: ${String(still ?? answers[0])}`
}

async function askByRecall(wire: Wire, { id, word, projects }: Item): Promise<string> {
  for (const project of projects) {
    const answer = await call(wire, 'recall', { query: word, project })
    if (typeof answer === 'string') {
      if (answer.includes(STILL_READING)) return answer
      continue
    }
    if (answer['hits'].some((hit: { id: string }) => hit.id === id)) return 'found'
    if (answer['incomplete'] === STILL_READING) return STILL_READING
  }
  return `by recall: ${word} has no hit`
}

/** Whether the service says that it is to be asked. */
export const isReady = async ({ url }: Where): Promise<boolean> =>
  (await send(url, { path: '/healthz?ready=1' })).status === 200

/** Makes notes and memories and answers what was acknowledged. */
export async function makeItems(
  where: Where,
  { notes, memories, from = 0 }: { notes: number; memories: number; from?: number },
): Promise<Item[]> {
  const wire = await openWire(where)
  const items: Item[] = []
  for (let n = from; n < from + notes + memories; n++) {
    const [word, project] = [`zq${n}xv`, ['atlas', 'delta', 'ember'][n % 3]!]
    const isNote = n < from + notes
    const answer = isNote
      ? await call(wire, 'notes_create', { title: `Note ${word}`, body: `of ${word}`, project })
      : await call(wire, 'memory_write', {
          ...{ name: `rule-${word}`, description: `of ${word}`, content: `what ${word} is` },
          ...{ kind: 'gotcha', project },
        })
    if (typeof answer === 'string') throw new Error(answer)
    const name = String(answer[isNote ? 'slug' : 'name'])
    const kind = isNote ? 'note' : 'memory'
    const owed = answer['indexed'] === false
    items.push({ kind, id: String(answer['id']), name, projects: [project], word, owed })
  }
  return items
}
