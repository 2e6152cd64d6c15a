/**
 * Which optional features are on. A feature that is off is hidden, and its data is kept.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in features/.
 */
import type { Config } from '../config.ts'

export type Features = Config['features']
export type Feature = keyof Features

/** A stored choice wins over the configuration; what cannot be read counts as not stored. */
export function effectiveFeatures(base: Features, stored: unknown): Features {
  const choices = (typeof stored === 'object' && stored) || {}
  const chosen = Object.entries(choices).filter(
    ([name, on]) => Object.hasOwn(base, name) && typeof on === 'boolean',
  )
  return { ...base, ...Object.fromEntries(chosen) }
}
