/** What an owner can set of a briefing, and whether demand orders it. */
import { CONFIG, type Config } from '../config/schema.ts'
import { isUtilityActive } from '../demand/demand.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { fits } from '../kernel/schema/fits.ts'
import { findSetting } from '../kernel/settings.ts'

export type BriefingOptions = Config['briefing']

/** The settings row with what the owner says over the configuration. */
export const BRIEFING = 'briefing_config'

/** Returns the options in force at this moment. */
export const findOptions = async (kernel: Kernel): Promise<BriefingOptions> =>
  effectiveOptions(kernel, await findSetting(kernel.db, BRIEFING))

/** `constraint_max_full` is `constraintMaxFull` in the override row. */
export const camelCase = (key: string): string =>
  key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * The configured options with what the row `briefing_config` says over them. A key that it leaves out
 * is inherited; a row that cannot be understood is no row, with a warning.
 */
export function effectiveOptions({ config, log }: Kernel, stored: unknown): BriefingOptions {
  const base = config.briefing
  if (stored === null || stored === undefined) return base
  const said = typeof stored === 'object' && !Array.isArray(stored) ? stored : undefined
  const over = Object.entries(said ?? {})
  const options = Object.fromEntries(
    Object.entries(base).map(([key, value]) => {
      const [, given = value] = over.find(([name]) => name === camelCase(key)) ?? []
      return [key, given === '' ? value : given]
    }),
  )
  if (said && fits(CONFIG.properties.briefing, options)) return options
  log.warn('the row briefing_config cannot be understood: briefings follow the configuration')
  return base
}

/** How much of the order of a project's briefing is demand: nothing while it is not active there. */
export function utilityWeight(
  options: BriefingOptions,
  activation: unknown,
  project: string,
): number {
  const { utility_mode: mode, utility_weight: weight } = options
  if (mode !== 'auto') return mode === 'on' ? weight : 0
  return isUtilityActive(activation, project) ? weight : 0
}
