/** A story as it is kept: what the service was sent, small, and without what was of that machine and moment. */
import { isObject } from './model/turns.ts'
import type { Made } from './landing.ts'
import type { Recorded } from './recorder.ts'

export interface Recording {
  /** The clients' packages, by name. */
  versions: Record<string, string>
  /** Isolation by slug; each project has the remote of its name. */
  projects: Record<string, string>
  made: Made[]
  requests: Recorded[]
}

/** Longer values that come again are written once. */
const LONG = 60
/** Where a value stands that is written once: `{"$": 3}`. */
const POINTER = '$'

/** Writes a recording, a line for each request. `folder` is where all of it took place. */
export function written({ requests, made, ...about }: Recording, folder: string): string {
  const text = JSON.stringify({ requests: requests.filter(isKept), made })
  // Some clients make one name of a whole path.
  const moved = text.replaceAll(folder, '/fleet').replaceAll(named(folder), named('/fleet'))
  const told = JSON.parse(moved) as Pick<Recording, 'requests' | 'made'>
  const shared = sharedBy(told)
  const lines = (values: unknown[]): string =>
    values.map((value) => `    ${JSON.stringify(shortened(value, shared))}`).join(',\n')
  const parts = [
    `  "about": ${JSON.stringify(about)}`,
    `  "shared": [\n${[...shared.keys()].map((value) => `    ${value}`).join(',\n')}\n  ]`,
    `  "made": [\n${lines(told.made)}\n  ]`,
    `  "requests": [\n${lines(told.requests)}\n  ]`,
  ]
  return `{\n${parts.join(',\n')}\n}\n`
}

const named = (path: string): string => path.replaceAll(/[^a-zA-Z0-9]/g, '-')

/** Reads it back. */
export function readRecording(text: string): Recording {
  const { about, shared, made, requests } = JSON.parse(text) as {
    about: Pick<Recording, 'versions' | 'projects'>
    shared: unknown[]
    made: unknown
    requests: unknown
  }
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole)
    if (!isObject(value)) return value
    if (POINTER in value) return shared[value[POINTER] as number]
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, whole(inner)]))
  }
  return { ...about, made: whole(made) as Made[], requests: whole(requests) as Recorded[] }
}

/** An open stream tells the service nothing. */
const isKept = ({ method, status }: Recorded): boolean => method !== 'GET' && status !== 0

/** The values that come more than once, with their places, by their text. */
function sharedBy(told: unknown): Map<string, number> {
  const times = new Map<string, number>()
  const count = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const text = JSON.stringify(value)
    if (text.length >= LONG && !Array.isArray(value)) {
      const before = times.get(text) ?? 0
      times.set(text, before + 1)
      if (before > 0) return
    }
    for (const inner of Object.values(value)) count(inner)
  }
  count(told)
  const often = [...times].filter(([, n]) => n > 1).map(([text]) => text)
  return new Map(often.map((text, index) => [text, index]))
}

function shortened(value: unknown, shared: Map<string, number>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((inner) => shortened(inner, shared))
  const place = shared.get(JSON.stringify(value))
  if (place !== undefined) return { [POINTER]: place }
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([name, inner]) => [name, shortened(inner, shared)]))
}
