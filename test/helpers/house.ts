/** A whole house on a port of its own: what every test of a room enters. */
import { buildHouse, sweepOut, type House, type HouseOptions } from './build-house.ts'

export type { EventRow, House, HouseOptions } from './build-house.ts'

/** Houses that a test has left swept and empty, for the next one in the same process. */
const vacant: House[] = []
const MOST = 2

/**
 * Opens a house. One without wishes of its own is left swept and empty and is used again: building
 * one takes a hundred times as long as emptying it.
 */
export async function openHouse(options: HouseOptions = {}): Promise<House> {
  if (Object.keys(options).length > 0) return buildHouse(options)
  const house = vacant.pop() ?? (await buildHouse())
  const { kernel } = house.app
  const asBuilt = { ...kernel }
  house[Symbol.asyncDispose] = async () => {
    await house.leave()
    // A test may have put an embedder of its own in, or another part: the next one did not ask for it.
    Object.assign(kernel, asBuilt)
    await sweepOut(house)
    if (vacant.length < MOST) vacant.push(house)
    else await house.close()
  }
  return house
}
