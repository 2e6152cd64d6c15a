/** How long this machine has been running: a time that nobody can set. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

export interface SinceBoot {
  /** One start of this machine; null where it cannot be told from the one before. */
  boot: string | null
  /** Milliseconds since then, the time that it slept included. */
  upMs(): number
}

export const sinceBoot = (): SinceBoot => ({ boot: bootOf(), upMs: () => uptime() * 1_000 })

function bootOf(): string | null {
  try {
    if (process.platform === 'linux') return linuxBoot()
    if (process.platform !== 'darwin') return null
    return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' })
      .trim()
      .toLowerCase()
  } catch {
    return null
  }
}

/**
 * The kernel's own id. A container may be shown a time that began with itself; it is told by being shorter
 * than the kernel's own monotonic time, and then the start of its first process belongs to the id.
 */
function linuxBoot(): string {
  const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const isOwn = uptime() * 1_000 < Number(process.hrtime.bigint() / 1_000_000n) - 1_000
  if (!isOwn) return id
  const stat = readFileSync('/proc/1/stat', 'utf8')
  return `${id}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
}
