/** Notices that another store has come to stand where the data directory was. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Disk } from '../kernel/files.ts'
import { STORE_MARK } from '../kernel/store-mark.ts'

const LOOK_INTERVAL_MS = 1_000

export interface GroundWatch {
  /** Resolves when a directory with the mark of a store stands there that is not the one that is held. */
  displaced: Promise<'elsewhere'>
  close(): void
}

/**
 * A name that leads nowhere, or to an empty place for a mount, is a disk that may come back: writes are
 * refused until then. A store in its place will not give way by itself.
 */
export function watchGround({ held }: Disk): GroundWatch {
  const { promise: displaced, resolve } = Promise.withResolvers<'elsewhere'>()
  const isStore = (): Promise<boolean> =>
    stat(join(held.name, STORE_MARK)).then(
      () => true,
      () => false,
    )
  let looking = false
  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    if ((await held.leads()) === 'elsewhere' && (await isStore())) resolve('elsewhere')
    looking = false
  }
  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS).unref()
  return {
    displaced,
    close() {
      clearInterval(timer)
      held.close()
    },
  }
}
