/** File systems of their own for the store to lie on: they can be filled, closed, cut off and taken away. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** EXT4_IOC_SHUTDOWN without a flush: what had not reached the device by now never will. */
const CUT =
  'open(my $f, "<", $ARGV[0]) or die; my $how = pack("I", 2); ioctl($f, 0x8004587d, $how) or die $!'

export interface Disk {
  mount: string
  attach(): Promise<void>
  /** Takes it away; `lazily` also under a process that uses it. */
  detach(how?: { lazily: boolean }): Promise<void>
  /** Opens or closes it for writing. */
  writable(yes: boolean): Promise<void>
  cut(): Promise<void>
}

export const diskMissing = ({ full }: { full: boolean }): string | null => {
  if (!full) return 'it takes a device of its own'
  if (process.getuid?.() !== 0 || !existsSync('/dev/loop-control')) {
    return 'it needs root and loop devices'
  }
  return null
}

/** An ext4 in a file, mounted at `mount`. */
export async function makeDisk(image: string, mount: string, megabytes: number): Promise<Disk> {
  await writeFile(image, '')
  await truncate(image, megabytes * 1024 * 1024)
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', image])
  await mkdir(mount, { recursive: true })
  const disk: Disk = {
    mount,
    attach: async () => void (await run('mount', ['-o', 'loop', image, mount])),
    async detach(how) {
      if (how?.lazily) return void (await run('umount', ['-l', mount]))
      for (let attempt = 1; ; attempt++) {
        try {
          return void (await run('umount', [mount]))
        } catch (error) {
          if (attempt === 50) throw error
          await sleep(100)
        }
      }
    },
    writable: async (yes) =>
      void (await run('mount', ['-o', `remount,${yes ? 'rw' : 'ro'}`, mount])),
    cut: async () => void (await run('perl', ['-e', CUT, mount])),
  }
  await disk.attach()
  return disk
}

/** Leaves not a byte free; answers the path of what fills it. */
export async function fill(disk: Disk): Promise<string> {
  const filler = join(disk.mount, 'filler')
  // Ends with "no space left", which is what is wanted.
  await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']).catch(() => {})
  await run('dd', [
    'if=/dev/zero',
    `of=${filler}`,
    'bs=1',
    'count=65536',
    'oflag=append',
    'conv=notrunc',
  ]).catch(() => {})
  return filler
}
