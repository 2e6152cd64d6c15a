/** Under which names the properties of an object may be sent. */
import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../refusal.ts'
import { suggest } from '../suggest.ts'
import type { Shape, Values } from './shape.ts'
import { refuseUnstorable } from './storable.ts'
import { quote } from './words.ts'

/** Property → further names under which it is accepted. */
export type Aliases = Readonly<Record<string, readonly string[]>>

/** Property → every name it goes by, itself first. A declared name is never an alias. */
export type AcceptedNames = ReadonlyMap<string, readonly string[]>

export function acceptedNames({ properties = {} }: Shape, aliases: Aliases): AcceptedNames {
  const undeclared = (name: string): boolean => !Object.hasOwn(properties, name)
  return new Map(
    Object.keys(properties)
      .sort()
      .map((name) => [name, [name, ...(aliases[name] ?? []).filter(undeclared)]]),
  )
}

/** The first name, in order, that is not declared. */
export function unknownName(sent: Values, known: readonly string[]): string | undefined {
  let first: string | undefined
  for (const name in sent) {
    if (
      Object.hasOwn(sent, name) &&
      !known.includes(name) &&
      (first === undefined || name < first)
    ) {
      first = name
    }
  }
  return first
}

/** `unknown parameter "titel"; did you mean "title"? `; the caller says how it goes on. */
export function unknownWords(name: string, known: readonly string[]): string {
  const near = suggest(name, known)
  return `unknown parameter ${quote(name)}; ${near ? `did you mean "${near}"? ` : ''}`
}

/** One value per property, under the property's own name. */
export function mergeAliases(sent: Values, names: AcceptedNames): Values {
  const merged: Values = {}
  for (const [name, all] of names) {
    const [first, ...others] = all.filter((each) => Object.hasOwn(sent, each))
    if (first === undefined) continue
    for (const other of others) {
      refuseUnstorable(sent[first], first)
      if (isDeepStrictEqual(sent[first], sent[other])) continue
      throw invalid(
        `conflicting values for "${first}" and "${other}"; pass one of ${all.join(', ')}`,
      )
    }
    merged[name] = sent[first]
  }
  return merged
}
