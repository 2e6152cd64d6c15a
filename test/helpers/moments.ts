import { switchFeatures, type Feature } from '../../src/features/features.ts'
import type { EventRow, House } from './house.ts'

/** Switches optional features as the owner does. */
export const switchOn = (house: House, ...features: Feature[]) =>
  switchFeatures(
    house.app.kernel,
    'console',
    Object.fromEntries(features.map((one) => [one, true])),
  )
export const switchOff = (house: House, ...features: Feature[]) =>
  switchFeatures(
    house.app.kernel,
    'console',
    Object.fromEntries(features.map((one) => [one, false])),
  )

/** The recorded moments of one kind, oldest first, when all that had happened has been followed. */
export async function moments(
  house: House,
  kind: string,
  feature: Feature = 'momentum',
): Promise<EventRow[]> {
  const { kernel } = house.app
  await kernel.telemetry.flush()
  await kernel.followers.caughtUp(feature)
  return house.events(kind)
}
