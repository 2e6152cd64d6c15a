/** What tools add to the reading of schemas: their aliases, and a hint for a caller that wants to search. */
import type { TObject } from 'typebox'
import { unknownWords } from '../kernel/schema/names.ts'
import { compileReader, type Reader } from '../kernel/schema/reader.ts'

/** Further names under which a parameter is accepted, on every tool that declares it. */
export const ALIASES: Record<string, readonly string[]> = {
  body: ['content', 'text'],
  slug: ['name'],
  session: ['session_id'],
}

/** Reads the `arguments` of a call. Throws a Refusal that names the parameter and what it may be. */
export type ReadArguments = Reader

export const compileArguments = (input: TObject): ReadArguments =>
  compileReader(input, { aliases: ALIASES, unknown: unknownParameter })

const unknownParameter = (name: string, known: readonly string[]): string =>
  unknownWords(name, known) +
  (name === 'query' ? 'to search, use recall. ' : '') +
  (known.length > 0 ? `valid parameters: ${known.join(', ')}` : 'this tool takes no parameters')
