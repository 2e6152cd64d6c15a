/** A request in free words, read by a chat model: it names operations, and nothing is changed by it. */
import type { Kernel } from '../../kernel/kernel.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { wireProject, type Scope } from '../../projects/projects.ts'
import { slugify } from '../../text/slug.ts'
import { askForObject, isObject, listIn, textIn, unreadable, type Said } from '../model/answer.ts'
import { promptOf } from '../model/prompt.ts'
import { numbered, shownMemories, shownProjects } from '../model/shown.ts'
import { writeConsolidation } from './consolidation.ts'
import type { Within } from './meant.ts'
import { KNOWN, kindsInWords, readOperation, type Shown } from './model-operations.ts'
import type { Operation } from './operations.ts'
import { Skipped } from './resolve.ts'
import type { SplitAsked, Understood } from './understood.ts'

const ASKING = { deadlineMs: 45_000, instead: 'say it in operations' }
/** Operations of one answer. */
const MOST_OPERATIONS = 50
/** Texts that are written for one request: each of them is a question of its own. */
const MOST_TEXTS = 5
/** Projects in a prompt. Memories may be moved to the others, too. */
const MOST_PROJECTS = 300

const orders = (): string => `
You help to keep a store of memories in order. A memory is a short text that coding agents are given
before they work; it has a name, a project, a kind and a one-line description. Somebody asks for one
clean-up, in the block "request". Turn it into operations. You change nothing: a person reads each
operation and decides.

The block "memories" lists the memories by number. Name a memory by its number, and only by a number
of this list. The block "projects" lists the projects to which memories may be moved.

Answer with one JSON object and with nothing before or after it. It is either a list of operations:
{"ops": [...]}
or, when a whole project is to be divided into several projects:
{"split": {"source": "the project"}}

An element of "ops" is one of these:
{"op": "merge", "keep": 1, "drop": 2, "reason": "..."}
  Two memories say the same. One already says all of it and stays as it is; the other gives way.
{"op": "consolidate", "name": "a-short-name", "kind": "one of the kinds", "sources": [1, 2]}
  Memories of one project each say a part, and a new one takes their place. Its text is written
  later: leave it out.
{"op": "archive", "target": 1, "reason": "..."}
  A memory does not hold any more, or is of no use.
{"op": "reproject", "target": 1, "to": "a project of the list", "reason": "..."}
  A memory belongs to another project. Single memories are moved in this way; a split is for a
  project as a whole.
{"op": "rekind", "target": 1, "kind": "one of the kinds", "reason": "..."}
  A memory is of another kind than it says.

The kinds are ${kindsInWords()}.
A constraint must hold whatever happens; a convention is how things are usually done here, with good
reasons to differ now and then.

Name an operation only when the request asks for it. When no memory of the list fits the request,
answer {"ops": []}.
`

/**
 * Reads a request. Operations name memories by their ids, and only those that the caller may read.
 *
 * @throws Refusal when the model cannot be asked, or when its answer cannot be read
 */
export async function understandByModel(
  kernel: Kernel,
  within: Within,
  words: string,
): Promise<Understood> {
  const { scope, all } = within
  const { memories, leftOut } = await shownMemories(kernel, scope, { all })
  if (memories.length === 0) return nothing({ guidance: noneThere(within) })
  const projects = await shownProjects(kernel, scope, memories)
  const prompt = promptOf(orders(), {
    request: [words],
    projects: [...projects].slice(0, MOST_PROJECTS).map(wireProject),
    memories: numbered(memories),
  })
  const { said, model } = await askForObject(kernel, prompt, ASKING)
  if (isObject(said['split'])) {
    const split = splitIn(said['split'], projects)
    return nothing({ model, split, skipped: leftOut, guidance: splitting(split) })
  }
  const named = listIn(said, 'ops')
  if (!named) throw unreadable(kernel, ASKING)
  const { operations, skipped } = await readAll(kernel, scope, { memories, projects }, named)
  return nothing({
    model,
    operations,
    skipped: [...leftOut, ...skipped],
    ...(named.length === 0 && { guidance: NOTHING_FITS }),
  })
}

const nothing = (understood: Partial<Understood>): Understood => ({
  operations: [],
  skipped: [],
  ambiguous: [],
  ...understood,
})

const NOTHING_FITS =
  'the model found nothing there that the request means: name the memories and what is to become of them'

const noneThere = ({ scope, all }: Within): string =>
  all
    ? 'there is no active memory that you may read'
    : `there is no active memory in ${wireProject(scope.project)}: pass the project that you mean, or all`

/** Only a project that is there is a source. */
function splitIn(said: Said, projects: ReadonlySet<string>): SplitAsked {
  const source = slugify(textIn(said, 'source'))
  return { children: [], ...(source !== '' && projects.has(source) && { source }) }
}

const splitting = ({ source }: SplitAsked): string =>
  `a project is divided with gardener_split: pass ${source === undefined ? 'it as source' : `source=${source}`}`

/** Reads each operation by itself: one that is wrong keeps none of the others. */
async function readAll(
  kernel: Kernel,
  scope: Scope,
  shown: Shown,
  named: readonly unknown[],
): Promise<{ operations: Operation[]; skipped: string[] }> {
  let texts = 0
  const make = async (said: unknown): Promise<Operation> => {
    if (!isObject(said)) throw new Skipped('it is no object')
    const read = readOperation(shown, said)
    if ('operation' in read) return read.operation
    if (++texts > MOST_TEXTS) {
      throw new Skipped(`at most ${MOST_TEXTS} texts are written at once: ask for this one again`)
    }
    return writeConsolidation(kernel, scope, read.consolidation)
  }
  const tried = await Promise.allSettled(named.slice(0, MOST_OPERATIONS).map(make))
  const operations: Operation[] = []
  const skipped: string[] = []
  for (const [index, one] of tried.entries()) {
    if (one.status === 'fulfilled') operations.push(one.value)
    else skipped.push(`${placeOf(named[index], index)}: ${reasonOf(one.reason)}`)
  }
  const more = named.length - tried.length
  if (more > 0) skipped.push(`${more} more of the model: at most ${MOST_OPERATIONS} are read`)
  return { operations, skipped }
}

function placeOf(said: unknown, index: number): string {
  const op = isObject(said) ? textIn(said, 'op') : ''
  return `operation ${index + 1} of the model${KNOWN.includes(op) ? ` (${op})` : ''}`
}

function reasonOf(error: unknown): string {
  if (error instanceof Skipped || error instanceof Refusal) return error.message
  throw error
}
