/** What the owner says of briefings over the configuration, and its change. */
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { allowed } from '../config.ts'
import { CONFIG } from '../config/schema.ts'
import { forceUtility, unforceUtility, type Force } from '../demand/demand.ts'
import { record } from '../kernel/events.ts'
import { NOBODY, type Db, type Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { fits } from '../kernel/schema/fits.ts'
import { clearSetting, findSetting, putSetting } from '../kernel/settings.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { briefingChanged } from './events.ts'
import { BRIEFING, camelCase, effectiveOptions, type BriefingOptions } from './options.ts'

const { properties: OPTIONS } = CONFIG.properties.briefing

export interface BriefingChange {
  /** Values by the names of the configuration: `findings_count`. One that is left out stays as it is. */
  options?: Readonly<Record<string, unknown>> | undefined
  /** Whether demand orders the briefings of a scope; '' is the global one. */
  forces?: Readonly<Record<string, Force>> | undefined
}

/** The options that a stored row changes, with their values: those that differ from the configuration. */
export function overridesOf(kernel: Kernel, stored: unknown): Partial<BriefingOptions> {
  const base = kernel.config.briefing
  const inForce = Object.entries(effectiveOptions(kernel, stored))
  return Object.fromEntries(
    inForce.filter(([name, value]) => value !== base[name as keyof BriefingOptions]),
  )
}

/**
 * Stores what differs from the configuration, so that the rest goes on following it. All of the change is kept, or
 * none of it: the first value that is not allowed is refused by its name.
 */
export async function changeBriefing(
  kernel: Kernel,
  by: string,
  { options, forces = {} }: BriefingChange,
): Promise<BriefingOptions> {
  for (const [name, value] of Object.entries(options ?? {})) refuseBad(name, value)
  return inTransaction(kernel, async (kernel) => {
    const { db } = kernel
    const stored = await lockOverrides(db)
    const before = effectiveOptions(kernel, stored)
    const now = { ...before, ...options }
    if (options) await putOverrides(db, overridesOf(kernel, wire(now)))
    const changed = Object.entries(now).filter(
      ([name, value]) => value !== before[name as keyof BriefingOptions],
    )
    const forced = await forceUtility(kernel, forces)
    const payload = {
      ...(changed.length > 0 && { options: Object.fromEntries(changed) }),
      ...(Object.keys(forced).length > 0 && { forces: forced }),
    }
    if (Object.keys(payload).length > 0) await tell(kernel, { ...payload, by })
    return now
  })
}

/** Forgets all of it: every option and every scope follows the configuration again. */
export function resetBriefing(kernel: Kernel, by: string): Promise<BriefingOptions> {
  return inTransaction(kernel, async (kernel) => {
    const stored = await lockOverrides(kernel.db)
    await clearSetting(kernel.db, BRIEFING)
    const unforced = await unforceUtility(kernel)
    if (stored !== undefined || unforced.length > 0) await tell(kernel, { reset: true, by })
    return kernel.config.briefing
  })
}

/** Returns what is stored. Until the transaction ends nobody else changes it. */
async function lockOverrides(db: Db): Promise<unknown> {
  await sql`select pg_advisory_xact_lock(hashtext(${BRIEFING}))`.execute(db)
  return findSetting(db, BRIEFING)
}

const putOverrides = (db: Db, over: Partial<BriefingOptions>): Promise<void> =>
  Object.keys(over).length > 0 ? putSetting(db, BRIEFING, wire(over)) : clearSetting(db, BRIEFING)

const tell = (kernel: Kernel, payload: Static<typeof briefingChanged.payload>): Promise<unknown> =>
  record(kernel, briefingChanged, { by: NOBODY, project: null, item: null, payload })

/** As the row spells it: `findingsCount`. */
const wire = (options: object): object =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [camelCase(name), value]))

function refuseBad(name: string, value: unknown): void {
  if (!Object.hasOwn(OPTIONS, name))
    throw invalid(`a briefing has no option ${JSON.stringify(name.slice(0, 100))}`)
  const option = OPTIONS[name as keyof BriefingOptions]
  if (fits(option, value)) return
  const said = JSON.stringify(value).slice(0, 100)
  throw invalid(`invalid ${name} ${said}: it must be ${allowed(option)}`)
}
