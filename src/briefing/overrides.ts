/** What the owner says of briefings over the configuration, and its change. */
import { sql } from 'kysely'
import { allowed } from '../config.ts'
import { CONFIG } from '../config/schema.ts'
import { forceUtility, unforceUtility, type Force } from '../demand/demand.ts'
import { record } from '../kernel/events.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
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
    await sql`select pg_advisory_xact_lock(hashtext(${BRIEFING}))`.execute(db)
    const before = effectiveOptions(kernel, await findSetting(db, BRIEFING))
    const now = { ...before, ...options }
    const over = Object.entries(overridesOf(kernel, wire(now)))
    if (options && over.length > 0) await putSetting(db, BRIEFING, wire(Object.fromEntries(over)))
    else if (options) await clearSetting(db, BRIEFING)
    const forced = await forceUtility(kernel, forces)
    const payload = {
      ...(options && { options: Object.fromEntries(over) }),
      ...(Object.keys(forced).length > 0 && { forces: forced }),
      by,
    }
    await record(kernel, briefingChanged, { by: NOBODY, project: null, item: null, payload })
    return now
  })
}

/** Forgets all of it: every option and every scope follows the configuration again. */
export function resetBriefing(kernel: Kernel, by: string): Promise<BriefingOptions> {
  return inTransaction(kernel, async (kernel) => {
    await clearSetting(kernel.db, BRIEFING)
    await unforceUtility(kernel)
    const payload = { reset: true as const, by }
    await record(kernel, briefingChanged, { by: NOBODY, project: null, item: null, payload })
    return kernel.config.briefing
  })
}

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
