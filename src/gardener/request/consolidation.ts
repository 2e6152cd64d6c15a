/** Several memories as one: a chat model writes it, from what they say and from nothing else. */
import type { Kernel } from '../../kernel/kernel.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { scopeSql, type Scope } from '../../projects/projects.ts'
import { oneLine } from '../../text/text.ts'
import { askForObject, textIn } from '../model/answer.ts'
import { promptOf } from '../model/prompt.ts'
import type { Consolidation } from './model-operations.ts'
import type { Operation } from './operations.ts'
import { Skipped } from './resolve.ts'

const DEADLINE_MS = 45_000
/** In characters, of all sources together: what is left out of the question would be lost. */
const MOST_CHARACTERS = 60_000
/** In characters: one line of a briefing. */
const DESCRIPTION_LENGTH = 150

const ORDERS = `
Write one memory that takes the place of several. A memory is a short text that coding agents are
given before they work. The block "wanted" says what it is called and of which kind it is, and the
block "sources" holds the memories that it replaces.

- Use nothing but the sources. What none of them says is not in your text, however likely it is.
- Keep all that they say and that still holds. Copy names, paths, commands, numbers and links letter
  by letter.
- Say each thing once, the most important one first.
- Where two sources contradict each other, the one with the later "updated" holds; mention that the
  other said otherwise.

Answer with one JSON object and with nothing before or after it:
{"description": "when an agent needs this", "body": "the text, in Markdown"}
The description is one line of at most ${DESCRIPTION_LENGTH} characters.
`

interface Source {
  id: string
  name: string
  kind: string
  description: string
  body: string
  updated_at: Date
}

/** In the order of the ids; those that have ended or that the caller may not read are left out. */
export const bodies = scopeSql<{ ids: string[] }, Source>('gardener/shown_bodies')

/** Throws Skipped with the reason when there is no such text. */
export async function writeConsolidation(
  kernel: Kernel,
  scope: Scope,
  { name, kind, sources }: Consolidation,
): Promise<Operation> {
  const ids = sources.map(({ id }) => id)
  const read = await bodies(kernel.db, scope, { ids })
  if (read.length < ids.length) throw new Skipped('one of its sources was ended meanwhile')
  const size = read.reduce((sum, { body }) => sum + body.length, 0)
  if (size > MOST_CHARACTERS) {
    throw new Skipped(
      `its sources have ${size} characters, and the model is given at most ${MOST_CHARACTERS}`,
    )
  }
  const prompt = promptOf(ORDERS, {
    wanted: [{ name, ...(kind && { kind }) }],
    sources: read.map(({ name, kind, description, body, updated_at }) => ({
      ...{ name, kind, description, body },
      updated: updated_at.toISOString(),
    })),
  })
  const { description, body } = await written(kernel, prompt)
  const now = await bodies(kernel.db, scope, { ids })
  if (now.length < read.length || now.some(({ body }, nth) => body !== read[nth]!.body)) {
    throw new Skipped('one of its sources was changed while the model wrote; ask again')
  }
  return {
    op: 'consolidate',
    name,
    sources: ids,
    body,
    ...(kind && { kind }),
    ...(description && { description }),
  }
}

async function written(kernel: Kernel, prompt: ReturnType<typeof promptOf>) {
  const asking = { deadlineMs: DEADLINE_MS, instead: 'pass the text in operations' }
  try {
    const { said } = await askForObject(kernel, prompt, asking)
    const body = textIn(said, 'body')
    if (body === '') throw new Skipped('the model wrote no text for it')
    return { description: oneLine(textIn(said, 'description'), DESCRIPTION_LENGTH), body }
  } catch (error) {
    throw error instanceof Refusal ? new Skipped(error.message) : error
  }
}
