/**
 * Optional features and their switches. A feature that is off is hidden, and its data stays.
 *
 * This file is the room's door. Other rooms import only this file of features/. Every
 * process reads the stored switches with each call, so a switch applies from the next call on.
 */
import { sql } from 'kysely'
import { record } from '../kernel/events.ts'
import { NOBODY, type Db, type Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { clearSetting, findSetting, putSetting } from '../kernel/settings.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { featuresChanged } from './events.ts'
import { effectiveFeatures, storedFeatures, type Feature, type Features } from './switches.ts'

export { featuresChanged } from './events.ts'
export { followWhileOn } from './follow.ts'
export { effectiveFeatures, storedFeatures, type Feature, type Features } from './switches.ts'

/**
 * What the owner is told of each feature. What it shows is declared by those that show it: tools by `feature`, screens
 * by `feature` and `surfaces`.
 */
export const FEATURE_WORDS: Readonly<Record<Feature, { label: string; blurb: string }>> = {
  research: {
    label: 'Research',
    blurb: 'Labs and trials record what was tried, what was expected of it and its outcome.',
  },
  momentum: {
    label: 'Momentum',
    blurb: 'Plans near their end, days that left something, and moments that happen once.',
  },
  gamification: {
    label: 'Gamification',
    blurb: 'The day of the fleet beside its week, and the records that it breaks.',
  },
}

/** A change of what is stored is told on this channel, so that other processes look at once. */
export const FEATURES_CHANNEL = 'loam_features'

/** The settings row: an object of booleans by feature. The configuration decides about the others. */
export const FEATURES = 'features_config'

/** Returns the features in force at this moment. */
export const findFeatures = async ({ db, config }: Kernel): Promise<Features> =>
  effectiveFeatures(config.features, await findSetting(db, FEATURES))

/** Returns the names of those that are on. */
export async function featuresOn(kernel: Kernel): Promise<ReadonlySet<string>> {
  const all = Object.entries(await findFeatures(kernel))
  return new Set(all.flatMap(([name, on]) => (on ? name : [])))
}

/** Stores the owner's choice for the named features. Earlier choices for others stay. */
export async function switchFeatures(
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
  await beforeSwitch(kernel)
  return inTransaction(kernel, async (kernel) => {
    const { db, config } = kernel
    const before = storedFeatures(config.features, await lockSwitches(db))
    const features = { ...before, ...switches }
    const isSame = Object.entries(features).every(([name, on]) => before[name as Feature] === on)
    if (isSame) return effectiveFeatures(config.features, before)
    await putSetting(db, FEATURES, features)
    const payload = { features, by }
    await record(kernel, featuresChanged, { by: NOBODY, project: null, item: null, payload })
    await tellOthers(db)
    return effectiveFeatures(config.features, features)
  })
}

/** Clears every stored choice: the configuration decides again. */
export async function resetFeatures(kernel: Kernel, by: string): Promise<Features> {
  await beforeSwitch(kernel)
  return inTransaction(kernel, async (kernel) => {
    if ((await lockSwitches(kernel.db)) === undefined) return kernel.config.features
    await clearSetting(kernel.db, FEATURES)
    const payload = { reset: true as const, by }
    await record(kernel, featuresChanged, { by: NOBODY, project: null, item: null, payload })
    await tellOthers(kernel.db)
    return kernel.config.features
  })
}

/** Returns what is stored. Until the transaction ends nobody else changes it: two switches at once both count. */
async function lockSwitches(db: Db): Promise<unknown> {
  await sql`select pg_advisory_xact_lock(hashtext(${FEATURES}))`.execute(db)
  return findSetting(db, FEATURES)
}

/** What happened before a switch stands in the log before it: it is read by what the switch turns on. */
async function beforeSwitch({ db, telemetry }: Kernel): Promise<void> {
  if (!db.isTransaction) await telemetry.flush()
}

async function tellOthers(db: Db): Promise<void> {
  await sql`select pg_notify(${FEATURES_CHANNEL}, '')`.execute(db)
}

/**
 * Switches a feature on for a store that came with data of it, unless a choice is stored: a move does
 * not hide a feature that was in use.
 */
export async function keepInUse(db: Db, feature: Feature): Promise<void> {
  await sql`select seed_feature(${feature})`.execute(db)
}
