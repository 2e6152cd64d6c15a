/**
 * From what was sent to what was declared, by the schema alone: tool arguments, the parameters of
 * pages and what commands send are read here. Absent means the default; a value that is present but
 * not understood is refused by name, never guessed.
 *
 * `fits.ts` is for the two edges that answer in another way: a hook's payload takes what fits and
 * drops the rest, and the configuration collects every problem with the place it came from.
 */
import type { Static, TObject } from 'typebox'
import { invalid } from '../refusal.ts'
import { validatorOf } from './fits.ts'
import { acceptedNames, mergeAliases, unknownName, unknownWords, type Aliases } from './names.ts'
import { isObject, type Shape } from './shape.ts'
import { readObject } from './value.ts'
import { pathOf } from './words.ts'

/** What an edge says in its own way. */
export interface Manners {
  /** Further names under which a property is accepted. */
  aliases?: Aliases
  /** What the values together are called in messages. */
  whole?: string
  /**
   * The message for a name that is not declared; undefined ignores it. `known` holds every accepted
   * name, sorted.
   */
  unknown?(name: string, known: readonly string[]): string | undefined
}

/** Reads an object as its schema declares it. Throws a Refusal that names the property and what it may be. */
export type Reader<Input extends TObject = TObject> = (sent: unknown) => Static<Input>

export function compileReader<Input extends TObject>(
  schema: Input,
  { aliases = {}, whole = 'arguments', unknown = unknownParameter }: Manners = {},
): Reader<Input> {
  const shape = schema as Shape
  const names = acceptedNames(shape, aliases)
  const known = [...names.values()].flat().sort()
  const validator = validatorOf(schema)
  const missingWords = (missing: string[]): string => {
    const wanted = missing.map((name) => wantedWords(name, names, shape))
    return `missing required: ${wanted.join(', ')}`
  }
  return (given) => {
    const sent = given ?? {}
    if (!isObject(sent)) throw invalid(`${whole} must be a JSON object`)
    const stray = unknownName(sent, known)
    const refusal = stray === undefined ? undefined : unknown(stray, known)
    if (refusal !== undefined) throw invalid(refusal)
    const values = readObject(shape, mergeAliases(sent, names), '', missingWords)
    const [problem] = validator.Check(values) ? [] : validator.Errors(values)
    if (!problem) return values as Static<Input>
    throw invalid(`invalid ${pathOf(problem.instancePath) || whole}: ${problem.message}`)
  }
}

const unknownParameter = (name: string, known: readonly string[]): string =>
  unknownWords(name, known) +
  (known.length > 0 ? `valid parameters: ${known.join(', ')}` : 'there are no parameters')

/** `"body" (or "content", "text")`, `"kind" (one of a, b)`. */
function wantedWords(
  name: string,
  names: ReadonlyMap<string, readonly string[]>,
  { properties = {} }: Shape,
): string {
  const [, ...aliases] = names.get(name) ?? []
  const choices = properties[name]?.enum
  const remarks = [
    ...(aliases.length > 0 ? [`or ${aliases.map((alias) => `"${alias}"`).join(', ')}`] : []),
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
  ]
  return remarks.length > 0 ? `"${name}" (${remarks.join('; ')})` : `"${name}"`
}
