/** Requests to make one memory of several. Nobody writes anew: it says what they say, one after the other. */
import { checkSize } from '../../../documents/documents.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import { memoryDocument } from '../../../memories/memories.ts'
import { scopeSql, wireProject } from '../../../projects/projects.ts'
import { slugify } from '../../../text/slug.ts'
import { oneLine } from '../../../text/text.ts'
import type { Brief } from '../../payloads.ts'
import type { FormOf } from '../grammar.ts'
import { plainName, type Within } from '../meant.ts'
import type { Understood } from '../understood.ts'
import { isProse, lookUp, MOST, nothingYet, settle } from './refer.ts'

/** In the order of the ids. */
const bodies = scopeSql<{ ids: string[] }, { body: string }>('gardener/shown_bodies')

/** In characters: as much as a line of a description is ever shown. */
const DESCRIPTION = 300

/** What is called one memory has no name yet. */
const NAMELESS = /^(?:a |one |the |a single |a new )?(?:one|memory|single one)$/i

/** All sources are there or nothing is proposed: the text would say less than was asked for. */
export async function consolidateNamed(
  kernel: Kernel,
  within: Within,
  { of, name: said, description, reason }: FormOf<'consolidate'>,
): Promise<Understood | undefined> {
  const references = await lookUp(kernel, within, of)
  if (isProse(...references.all)) return undefined
  const answer = nothingYet()
  const sources = settle(answer, references)
  const name = NAMELESS.test(said) ? '' : plainName(said)
  if (slugify(name) === '') answer.skipped.push('say what the new memory is called: … into NAME')
  if (references.more > 0) {
    answer.skipped.push(`no more than ${MOST} memories become one at once`)
  }
  if (answer.skipped.length > 0) return answer
  if (sources.length < 2) return { ...answer, skipped: ['name two memories or more'] }
  const texts = await bodies(kernel.db, within.scope, { ids: sources.map(({ id }) => id) })
  if (texts.length < sources.length) {
    return { ...answer, skipped: ['one of them ended meanwhile: ask again'] }
  }
  const body = sources.map((source, i) => sectionOf(source, sources[0]!, texts[i]!.body)).join('\n')
  const problem = sizeProblem(body)
  if (problem !== undefined) return { ...answer, skipped: [problem] }
  const { project, kind } = sources[0]!
  answer.operations = [
    {
      op: 'consolidate',
      sources: sources.map(({ id }) => id),
      name,
      kind: sources.every((source) => source.kind === kind) ? kind : 'reference',
      description: oneLine(description ?? sources[0]!.description, DESCRIPTION),
      body,
      ...(reason !== undefined && { reason }),
    },
  ]
  answer.skipped.push(...elsewhere(sources, project))
  return answer
}

/** What a source says, and where that is from. */
function sectionOf({ name, project }: Brief, first: Brief, body: string): string {
  const ref = project === first.project ? name : `${wireProject(project)}/${name}`
  return `## ${name}\n\n${body.trim()}\n\nFrom [[${ref}]].\n`
}

function sizeProblem(body: string): string | undefined {
  try {
    checkSize(memoryDocument, body)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return `together they are too long for one memory: ${error.message}`
  }
}

/** What comes from another project than the new memory will lie in is said. */
const elsewhere = (sources: readonly Brief[], project: string): string[] =>
  sources
    .filter((source) => source.project !== project)
    .map(
      (source) =>
        `"${source.name}" is in ${wireProject(source.project)}: ` +
        `the new memory will be in ${wireProject(project)}`,
    )
