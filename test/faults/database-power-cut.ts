import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { none } from '../attacks/attack.ts'
import { lostFrom, openStore, startChild, temporary } from './database-process.ts'
import type { Child } from './database-process.ts'
import { defineFault } from './fault.ts'

const run = promisify(execFile)

/** EXT4_IOC_SHUTDOWN without a flush: what had not reached the device by now never will. */
const CUT =
  'use Fcntl; sysopen(my $f, $ARGV[0], O_RDONLY) or die $!; my $how = pack("I", 2); ' +
  'ioctl($f, 0x8004587d, $how) or die $!'

export const databasePowerCut = defineFault({
  id: 'R03',
  title: 'an embedded store whose power is cut opens again and keeps what was acknowledged',
  rounds: 60,
  missing: ({ full }) => {
    if (!full) return 'it takes a device of its own'
    if (process.getuid?.() !== 0 || !existsSync('/dev/loop-control'))
      return 'it needs root and loop devices'
    return null
  },
  async run({ rounds, random, log }) {
    await using folder = await temporary()
    let commits = 0
    for (let round = 0; round < rounds; round++) {
      const disk = await makeDisk(folder.path)
      const children: Child[] = []
      try {
        const dir = join(disk.mount, 'db')
        if (round % 2 === 1) await warm(dir)
        const child = startChild('write', dir)
        children.push(child)
        const { said } = await child.first
        if (!said.startsWith('OPEN')) throw new Error(`round ${round}: it did not open: ${said}`)
        await sleep(random.int(3_000))
        const acknowledged = [...child.acknowledged]
        await run('perl', ['-e', CUT, disk.mount])
        await child.kill()
        await disk.again()
        await using database = await openStore(dir)
        none(
          await lostFrom(database, acknowledged),
          `round ${round}: an acknowledged commit was lost`,
        )
        commits += acknowledged.length
        log(`round ${round}: ${acknowledged.length} commits`)
      } finally {
        await Promise.all(children.map((one) => one.kill()))
        await disk.remove()
      }
    }
    return `${rounds} of ${rounds} opened again; ${commits} commits, 0 lost`
  },
})

/** A store that was in use and has come to rest. */
async function warm(dir: string): Promise<void> {
  const child = startChild('write', dir)
  await child.first
  await sleep(1_000)
  await child.kill()
  await run('sync', [])
}

/** A file system in a file. */
async function makeDisk(folder: string) {
  const [image, mount] = [join(folder, 'disk.img'), join(folder, 'disk')]
  await writeFile(image, '')
  await truncate(image, 1_500 * 1024 * 1024)
  await run('mkfs.ext4', ['-q', '-F', image])
  await mkdir(mount, { recursive: true })
  const attach = () => run('mount', ['-o', 'loop', image, mount])
  const detach = async (): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await run('umount', [mount])
        return
      } catch (error) {
        if (attempt === 50) throw error
        await sleep(100)
      }
    }
  }
  await attach()
  return {
    mount,
    again: async () => {
      await detach()
      await attach()
    },
    remove: detach,
  }
}
