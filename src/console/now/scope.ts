/** The project that the page is about, as the address names it. */
import { invalid } from '../../kernel/refusal.ts'
import { quote } from '../../kernel/schema/words.ts'
import { wireProject } from '../../projects/projects.ts'
import type { ScreenApp } from '../screen.ts'
import { isKnown, someSlugs } from './queries.ts'

/** As many slugs as a refusal lists. */
const LISTED = 50

/** Returns the project of the parameter `scope`; null when it is empty, which stands for all. */
export async function scopeOf(
  { kernel: { db }, owner }: ScreenApp,
  asked: string,
): Promise<string | null> {
  if (asked === '') return null
  if (asked === wireProject('')) return ''
  if (await isKnown(db, owner, asked)) return asked
  const slugs = await someSlugs(db, owner, LISTED + 1)
  const listed = [
    wireProject(''),
    ...slugs.slice(0, LISTED),
    ...(slugs.length > LISTED ? ['…'] : []),
  ]
  throw invalid(`invalid scope ${quote(asked)}: valid values are ${listed.join(', ')}`)
}
