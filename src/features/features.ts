/**
 * Which optional features are on. A feature that is off is hidden, and its data is kept.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in features/. The
 * stored switches are read with each call, by every process, so a switch counts from the next call on.
 */
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { record } from '../kernel/events.ts'
import { NOBODY, type Db, type Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { clearSetting, findSetting, putSetting } from '../kernel/settings.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { featuresChanged } from './events.ts'

export { featuresChanged } from './events.ts'

export type Features = Config['features']
export type Feature = keyof Features

/** The settings row: an object of booleans, by feature. What it leaves out is the configuration's to say. */
export const FEATURES = 'features_config'

/** A stored choice wins over the configuration; what cannot be read counts as not stored. */
export function effectiveFeatures(base: Features, stored: unknown): Features {
  return { ...base, ...chosen(base, stored) }
}

const chosen = (base: Features, stored: unknown): Partial<Features> =>
  Object.fromEntries(
    Object.entries((typeof stored === 'object' && stored) || {}).filter(
      ([name, on]) => Object.hasOwn(base, name) && typeof on === 'boolean',
    ),
  )

/** As they are at this moment. */
export const findFeatures = async ({ db, config }: Kernel): Promise<Features> =>
  effectiveFeatures(config.features, await findSetting(db, FEATURES))

/** Stores the owner's choice of the features that are named; choices made before stay. */
export function switchFeatures(
  kernel: Kernel,
  by: string,
  switches: Readonly<Record<string, boolean>>,
): Promise<Features> {
  const known = Object.keys(kernel.config.features)
  const unknown = Object.keys(switches).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw invalid(
      `no feature ${JSON.stringify(unknown.slice(0, 100))}; there are ${known.join(', ')}`,
    )
  }
  return inTransaction(kernel, async (kernel) => {
    const { db, config } = kernel
    // Two that switch at once both count.
    await sql`select pg_advisory_xact_lock(hashtext(${FEATURES}))`.execute(db)
    const features = { ...chosen(config.features, await findSetting(db, FEATURES)), ...switches }
    await putSetting(db, FEATURES, features)
    const payload = { features, by }
    await record(kernel, featuresChanged, { by: NOBODY, project: null, item: null, payload })
    return effectiveFeatures(config.features, features)
  })
}

/** Clears every stored choice: the configuration decides again. */
export function resetFeatures(kernel: Kernel, by: string): Promise<Features> {
  return inTransaction(kernel, async (kernel) => {
    await clearSetting(kernel.db, FEATURES)
    const payload = { reset: true as const, by }
    await record(kernel, featuresChanged, { by: NOBODY, project: null, item: null, payload })
    return kernel.config.features
  })
}

/**
 * Switches a feature on for a store that has come with its data, unless somebody has chosen: what was
 * in use where it comes from is not hidden by the move.
 */
export async function keepInUse(db: Db, feature: Feature): Promise<void> {
  await sql`select seed_feature(${feature})`.execute(db)
}
