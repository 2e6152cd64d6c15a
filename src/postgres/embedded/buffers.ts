/**
 * How much of the tables the embedded engine holds in memory of its own. It fills this memory when it opens, so each
 * megabyte is resident for as long as the service runs, also where the whole store is smaller.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const MIB = 1024 * 1024
/** Below it, a small store writes pages out while it works. */
const LEAST_MIB = 16
/** The engine's own default. Searches of 200 MB of tables are as fast with it as with more. */
const MOST_MIB = 128
/** Of what the tables take: searches of large stores read less than half of their pages again and again. */
const PART = 1 / 2

/** Parameters for a cluster of this size. A store that grows has more from its next start on. */
export function buffersFor(root: string): string[] {
  const wanted = Math.ceil((bytesOfTables(root) * PART) / MIB)
  const size = Math.min(Math.max(wanted, LEAST_MIB), MOST_MIB)
  // By itself the engine would shrink the buffers of its log along with these.
  return ['-c', `shared_buffers=${size}MB`, '-c', 'wal_buffers=4MB']
}

/** None where there is no cluster yet. */
function bytesOfTables(root: string): number {
  const base = join(root, 'base')
  let bytes = 0
  for (const folder of entriesOf(base)) {
    for (const file of entriesOf(join(base, folder))) {
      bytes += lstatSync(join(base, folder, file), { throwIfNoEntry: false })?.size ?? 0
    }
  }
  return bytes
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
