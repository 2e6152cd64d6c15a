/** Which features a stored choice and the configuration together switch on. */
import type { Config } from '../config.ts'

export type Features = Config['features']
export type Feature = keyof Features

/** Returns the features in force. A stored choice overrides the configuration; an unreadable one does not count. */
export function effectiveFeatures(base: Features, stored: unknown): Features {
  return { ...base, ...storedFeatures(base, stored) }
}

/** Returns what is stored of the features that there are. */
export const storedFeatures = (base: Features, stored: unknown): Partial<Features> =>
  Object.fromEntries(
    Object.entries((typeof stored === 'object' && stored) || {}).filter(
      ([name, on]) => Object.hasOwn(base, name) && typeof on === 'boolean',
    ),
  )
