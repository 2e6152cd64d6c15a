/** What optional features add to the pages of others: there while they are on, and left out whole while they are off. */
import { findFeatures } from '../features/features.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { once } from '../kernel/once.ts'
import type { Page, Screen } from './screen.ts'

/**
 * The page without what belongs to features that are off. What belongs to one that is on is read when the feature has
 * followed all that happened.
 */
export async function withSurfaces(
  kernel: Kernel,
  { surfaces = [] }: Screen,
  page: Page,
): Promise<Page> {
  if (surfaces.length === 0) return page
  const features = await findFeatures(kernel)
  const owned = new Map(
    surfaces.flatMap(({ feature, owns }) => {
      const caughtUp = once(() => kernel.followers.caughtUp(feature))
      return owns.map((name) => [name, { on: features[feature], caughtUp }] as const)
    }),
  )
  const kept = (values: object = {}) =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([name]) => owned.get(name)?.on !== false)
        .map(([name, value]) => {
          const { caughtUp } = owned.get(name) ?? {}
          if (!caughtUp || typeof value !== 'function') return [name, value]
          return [name, () => caughtUp().then(() => (value as () => unknown)())]
        }),
    )
  const { data, only, live } = page
  return {
    ...page,
    data: kept(data),
    only: kept(only),
    ...(live?.parts && { live: { ...live, parts: kept(live.parts) as typeof live.parts } }),
  }
}
