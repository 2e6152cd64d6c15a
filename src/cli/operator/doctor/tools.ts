import type { Features } from '../../../features/features.ts'
import { catalog } from '../../../mcp/catalog.ts'

/** The tools that a running service has, whether they show or not, and what shows them. */
export interface Registered {
  tools: readonly string[]
  features: Features
}

/**
 * What is wrong with the tools that a service offers, or null. Those of features that are off are
 * hidden. Where the state of a feature is not known, its tools may be offered or not, but all alike.
 */
export function toolProblem(
  offered: readonly string[],
  registered: Registered | undefined,
  known: readonly { name: string; feature?: keyof Features }[] = catalog,
): string | null {
  const names = known.map(({ name }) => name)
  if (registered) {
    const lacking = names.filter((name) => !registered.tools.includes(name))
    if (lacking.length > 0) return `not registered: ${lacking.join(', ')}`
    const foreign = registered.tools.filter((name) => !names.includes(name))
    if (foreign.length > 0) return `not of this version: ${foreign.join(', ')}`
  }
  const foreign = offered.filter((name) => !names.includes(name))
  if (foreign.length > 0) return `not of this version: ${foreign.join(', ')}`
  const shows = (feature: keyof Features): boolean =>
    registered
      ? registered.features[feature]
      : known.some((tool) => tool.feature === feature && offered.includes(tool.name))
  const wanted = known.filter(({ feature }) => !feature || shows(feature)).map(({ name }) => name)
  const missing = wanted.filter((name) => !offered.includes(name))
  if (missing.length > 0) return `not offered: ${missing.join(', ')}`
  const shown = offered.filter((name) => !wanted.includes(name))
  return shown.length > 0 ? `offered, though their feature is off: ${shown.join(', ')}` : null
}
