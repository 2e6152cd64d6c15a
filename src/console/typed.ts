/**
 * What the owner typed into a form that was refused: the address carries it back into the fields. With scripts the
 * fields are never left.
 */
import type { TObject } from 'typebox'
import { holdsSecret } from '../text/secrets.ts'

const PREFIX = 'typed.'

/** As much as an address carries; what is longer has to be typed again. */
const MOST_CHARACTERS = 4_000

/** Whether a parameter of an address carries what was typed into a form. */
export const isCarried = (name: string): boolean => name.startsWith(PREFIX)

/** Parameters for an address: fields that the form declares as `typed`, and nothing that looks like a key. */
export function typedIn({ properties }: TObject, sent: unknown): Record<string, string> {
  const isTyped = (name: string): boolean =>
    (properties[name] as { typed?: true } | undefined)?.typed === true
  const isGathered = (name: string): boolean =>
    (properties[name] as { gathers?: true } | undefined)?.gathers === true
  const given = Object.entries((sent ?? {}) as Record<string, unknown>).flatMap(
    ([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) return [[name, value.join(',')]]
      // A form that was read has its gathered fields below their common name.
      if (!isGathered(name) || typeof value !== 'object') return [[name, value]]
      return Object.entries(value ?? {}).map(([rest, one]) => [`${name}.${rest}`, one])
    },
  )
  const typed = given.filter(
    (field): field is [string, string] =>
      (isTyped(field[0]) || isGathered(field[0].split('.')[0]!)) &&
      typeof field[1] === 'string' &&
      field[1] !== '' &&
      !holdsSecret(field[1]),
  )
  const characters = typed.reduce((sum, [, text]) => sum + text.length, 0)
  if (characters > MOST_CHARACTERS) return {}
  return Object.fromEntries(typed.map(([name, text]) => [PREFIX + name, text]))
}

/** The fields that an address carries, by their names. */
export function typedOf(query: unknown): Record<string, string> {
  const given = Object.entries((query ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    given.flatMap(([name, text]) =>
      isCarried(name) && typeof text === 'string'
        ? [[name.slice(PREFIX.length), text.slice(0, MOST_CHARACTERS)]]
        : [],
    ),
  )
}

/** Takes what a form has left out of an address. */
export function dropForm(parameters: URLSearchParams): void {
  for (const name of [...parameters.keys()]) {
    if (name === 'notice' || name === 'error' || isCarried(name)) parameters.delete(name)
  }
}
