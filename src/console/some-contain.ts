/** The filter of a list: the characters that its rows hold. */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { containing } from '../text/like.ts'

/** A control character, which nobody types. */
const BETWEEN = '\u0001'

/** What is looked for without the rules of a language, in half the time. */
const PLAIN = /^[ -~]*$/

/**
 * Whether one of the texts has these very characters, in whatever case. They are looked through as one, which takes
 * half the time; what stands between them is found in none. Names are kept in the order of their bytes, by whose
 * rules a letter beyond the English ones has no other case.
 */
export function someContain(
  texts: readonly RawBuilder<unknown>[],
  characters: string,
): RawBuilder<SqlBool> {
  if (characters.includes(BETWEEN)) return sql<SqlBool>`false`
  const all = sql`concat_ws(${BETWEEN}, ${sql.join(texts)})`
  return PLAIN.test(characters)
    ? sql<SqlBool>`position(${characters.toLowerCase()}::text in lower(${all} collate "C")) > 0`
    : sql<SqlBool>`${all} collate "default" ilike ${containing(characters)}`
}
