/** What the service of our own package answers first, for a start before any service was ever heard. */
import { fs } from '../node.ts'
import type { Kept, Question } from './kept.ts'

/** What is known without asking the service. */
export interface Memory {
  /** Returns the text of a result. */
  known(question: Question): string | undefined
  keep(question: Question, result: string): void
}

/** Knows what the service said last, and else what the one of our own package says. */
export const memoryOf = (kept: Kept): Memory => ({
  known: (question) => kept.find(question) ?? packaged(question, kept),
  keep: kept.keep,
})

/** `catalogue.json`, written by src/dev/catalogue.ts. */
export interface Catalogue {
  /** The tools while research is off, and on. */
  tools: Record<'off' | 'on', { name: string }[]>
  /** The generation with sessions. The newest version stands first, and in the answer. */
  stateful: { versions: string[]; initialize: { protocolVersion: string } }
  /** The generation without: what stands beside the tools in a list. */
  stateless: Record<string, { discover: object; listing: object }>
}

/** Returns the text of the result; undefined for a version that the service refuses. */
function packaged(question: Question, kept: Kept): string | undefined {
  const { method, version, isStateless } = question
  const catalogue = readCatalogue()
  if (!catalogue) return undefined
  const { tools, stateful, stateless } = catalogue
  const own = Object.hasOwn(stateless, version) ? stateless[version] : undefined
  if (isStateless && !own) return undefined
  if (method === 'server/discover') return JSON.stringify(own?.discover)
  if (method === 'initialize') {
    const protocolVersion = stateful.versions.includes(version) ? version : stateful.versions[0]!
    return JSON.stringify({ ...stateful.initialize, protocolVersion })
  }
  const names = tools.off.map(({ name }) => name)
  const further = tools.on.map(({ name }) => name).filter((name) => !names.includes(name))
  const listed = kept.listed(further) ? tools.on : tools.off
  return JSON.stringify({ tools: listed, ...(isStateless && own?.listing) })
}

function readCatalogue(): Catalogue | undefined {
  try {
    return JSON.parse(
      fs.readFileSync(new URL('catalogue.json', import.meta.url), 'utf8'),
    ) as Catalogue
  } catch {
    return undefined
  }
}
