/** Whether a question would be answered by now: something that recall looks through has all of its words. */
import { inherited } from '../../briefing/briefing.ts'
import { findFeatures } from '../../features/features.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { ITEM_KINDS, wordsAsked } from '../../passages/passages.ts'
import { scopeAt, scopeSql } from '../../projects/projects.ts'
import { chunksOf } from './chunks.ts'

/** Words as an agent of the project asks for them. '' is the global scope. */
export interface Question {
  project: string
  words: readonly string[]
}

const covered = scopeSql<{ asked: string[]; kinds: string[] }, { nth: number }>('gardener/covered')

/** Questions of one statement. */
const AT_ONCE = 200

/** The questions that nothing answers which an agent of their project would be shown today. */
export async function uncovered<Asked extends Question>(
  kernel: Kernel,
  questions: readonly Asked[],
): Promise<Asked[]> {
  const { research } = await findFeatures(kernel)
  const kinds = ITEM_KINDS.filter((kind) => research || kind !== 'trial')
  const open: Asked[] = []
  for (const [project, own] of Map.groupBy(questions, ({ project }) => project)) {
    const scope = await inherited(kernel, await scopeAt(kernel.db, project))
    for (const some of chunksOf(own, AT_ONCE)) {
      const asked = some.map(({ words }) => allOf(words))
      const found = await covered(kernel.db, scope, { asked, kinds })
      const places = new Set(found.map(({ nth }) => nth - 1))
      open.push(...some.filter((_, at) => !places.has(at)))
    }
  }
  return open
}

/** Whether any of the words is one that recall searches by. */
export const isAskable = (words: readonly string[]): boolean => lexemesOf(words).length > 0

/** A tsquery that wants every word. */
const allOf = (words: readonly string[]): string =>
  lexemesOf(words)
    .map((lexeme) => `'${lexeme.replaceAll(/['\\]/g, '$&$&')}'`)
    .join(' & ')

/** Without the forms of an identifier as a whole: its words are there as well. */
const lexemesOf = (words: readonly string[]): string[] =>
  [...wordsAsked(words.join(' '))].flatMap(([lexeme, weight]) => (weight === 1 ? [lexeme] : []))
