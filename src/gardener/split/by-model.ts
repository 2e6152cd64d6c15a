/** How a chat model would divide a project. Nothing is made and nothing is moved by it. */
import type { Kernel } from '../../kernel/kernel.ts'
import { invalid, unavailable } from '../../kernel/refusal.ts'
import { parseProject, type Scope } from '../../projects/projects.ts'
import { slugify } from '../../text/slug.ts'
import { oneLine } from '../../text/text.ts'
import { askForObject, isObject, listIn, textIn, unreadable, type Said } from '../model/answer.ts'
import { promptOf } from '../model/prompt.ts'
import { numbered, numberedAs, shownMemories } from '../model/shown.ts'
import { quoted } from '../model/words.ts'
import type { Brief, Label } from '../payloads.ts'

/** What is to be divided, and as far as the caller says it, into what. */
export interface Dividing {
  /** The slug of a project whose own memories the scope may read. */
  source: string
  /** '' when there is none. */
  instruction: string
  /** Names or slugs. With them the model invents no others. */
  children?: readonly string[] | undefined
  shared?: string | undefined
}

export interface Assignment {
  /** Of a memory of the source. */
  id: string
  /** The slug of a child, or of what they share. */
  to: string
  /** '' when the model gave none. */
  rationale: string
}

export interface Assigned {
  children: Label[]
  shared: Label | undefined
  /** At most one for each memory. Those that the model passed over have none. */
  assignments: Assignment[]
  /** Why the rest is not assigned, in words for the caller. */
  skipped: string[]
  /** '': there was nothing to assign, and no model was asked. */
  model: string
}

const ASKING = { deadlineMs: 60_000, instead: 'name children and assignments yourself' }
/** In characters: a line of a list. */
const RATIONALE_LENGTH = 300
const LABEL_LENGTH = 80

const orders = (areNamed: boolean): string => `
You help to keep a store of memories in order. A memory is a short text that coding agents are given
before they work; it has a name, a kind and a one-line description. The project in the block "source"
is to be divided into several projects, its children, as the block "request" says. You change nothing:
a person reads what you say and decides.

The block "memories" lists the memories of the project by number. Name a memory by its number, and
only by a number of this list. ${areNamed ? CHILDREN_NAMED : CHILDREN_FREE}

What all children need belongs into one more project, which they share; leave it out when there is no
such thing. Each memory goes to one child or to the shared project, and to no more than one.

Answer with one JSON object and with nothing before or after it:
{"children": [{"slug": "kebab-case", "label": "a name for people"}],
"shared": {"slug": "kebab-case", "label": "a name for people"},
"assignments": [{"to": "a slug of the above", "memories": [1, 2], "rationale": "a few words"}]}

One assignment may hold several memories that go to the same project for the same reason, which is
its rationale. "shared" is {} when there is nothing to share.
`

const CHILDREN_NAMED =
  'The block "children" says which projects there will be: use exactly these slugs, and repeat them.'
const CHILDREN_FREE =
  'Find two children or more, each of a subject of its own that several memories have.'

/**
 * Asks a chat model how to divide a project: its own active memories, no inherited and no global ones.
 *
 * @throws Refusal when the model cannot be asked, when its answer cannot be read or names fewer than two
 *   children, and when a child is the project itself
 */
export async function assignByModel(
  kernel: Kernel,
  scope: Scope,
  { source, instruction, children: named = [], shared: sharing }: Dividing,
): Promise<Assigned> {
  const skipped: string[] = []
  const given = labelsOf(named, skipped)
  if (named.length > 0) refuseBad(source, given, invalid)
  const givenShared = sharing === undefined ? undefined : labelsOf([sharing], skipped)[0]

  const { memories, leftOut } = await shownMemories(kernel, scope, { source })
  skipped.push(...leftOut)
  if (memories.length === 0) {
    skipped.push(`project ${source} has no active memory that you may read`)
    return { children: given, shared: givenShared, assignments: [], skipped, model: '' }
  }
  const prompt = promptOf(orders(named.length > 0), {
    request: [instruction.trim() || 'Divide the project by its subjects.'],
    source: [source],
    ...(named.length > 0 && { children: given }),
    ...(givenShared && { shared: [givenShared] }),
    memories: numbered(memories),
  })
  const { said, model } = await askForObject(kernel, prompt, ASKING)
  const children = named.length > 0 ? given : childrenIn(kernel, source, said, skipped)
  const shared = sharedOf(source, children, givenShared ?? sharedIn(said, skipped))
  const targets = new Set([...children, ...(shared ? [shared] : [])].map(({ slug }) => slug))
  const assignments = assignmentsIn(said, memories, targets, skipped)
  return { children, shared, assignments, skipped, model }
}

/** Each project once. What can be no project is skipped. */
function labelsOf(named: readonly unknown[], skipped: string[]): Label[] {
  const labels = new Map<string, Label>()
  for (const one of named) {
    const { text, label } = isObject(one)
      ? { text: textIn(one, 'slug') || textIn(one, 'label'), label: textIn(one, 'label') }
      : { text: typeof one === 'string' ? one.trim() : '', label: '' }
    const slug = slugOf(text)
    if (slug === '') skipped.push(`${quoted(one)} can be no project`)
    else if (!labels.has(slug)) {
      labels.set(slug, { slug, label: oneLine(label || text, LABEL_LENGTH) })
    }
  }
  return [...labels.values()]
}

/** '' when none can be made of the text, or when no project may have it. */
function slugOf(text: string): string {
  try {
    return parseProject(slugify(text)) ?? ''
  } catch {
    return ''
  }
}

function childrenIn(kernel: Kernel, source: string, said: Said, skipped: string[]): Label[] {
  const named = listIn(said, 'children')
  if (!named) throw unreadable(kernel, ASKING)
  const children = labelsOf(named, skipped)
  refuseBad(source, children, (problem) =>
    unavailable(`the chat model divides it badly: ${problem}; ask again, or ${ASKING.instead}`),
  )
  return children
}

function refuseBad(
  source: string,
  children: readonly Label[],
  refusal: (problem: string) => Error,
): void {
  if (children.some(({ slug }) => slug === source)) {
    throw refusal(`project ${source} cannot be a child of itself`)
  }
  if (children.length < 2) throw refusal('a project is divided into two children or more')
}

function sharedIn(said: Said, skipped: string[]): Label | undefined {
  const { shared } = said
  return isObject(shared) && textIn(shared, 'slug') + textIn(shared, 'label') !== ''
    ? labelsOf([shared], skipped)[0]
    : undefined
}

/** What they share is none of them, and not what is divided. */
const sharedOf = (
  source: string,
  children: readonly Label[],
  shared: Label | undefined,
): Label | undefined =>
  shared && ![source, ...children.map(({ slug }) => slug)].includes(shared.slug)
    ? shared
    : undefined

function assignmentsIn(
  said: Said,
  memories: readonly Brief[],
  targets: ReadonlySet<string>,
  skipped: string[],
): Assignment[] {
  const assigned = new Map<string, Assignment>()
  for (const [index, one] of (listIn(said, 'assignments') ?? []).entries()) {
    const skip = (why: string): unknown =>
      skipped.push(`assignment ${index + 1} of the model: ${why}`)
    if (!isObject(one)) {
      skip('it is no object')
      continue
    }
    const to = slugify(textIn(one, 'to'))
    if (!targets.has(to)) {
      skip(`to is ${quoted(one['to'])}, which is none of the children and not what they share`)
      continue
    }
    const rationale = oneLine(textIn(one, 'rationale'), RATIONALE_LENGTH)
    for (const number of listIn(one, 'memories') ?? [one['memory']]) {
      const memory = numberedAs(memories, number)
      if (!memory) skip(`${quoted(number)} is the number of no memory in the list`)
      else if (assigned.has(memory.id)) skip(`"${memory.name}" has a place already`)
      else assigned.set(memory.id, { id: memory.id, to, rationale })
    }
  }
  return [...assigned.values()]
}
