/**
 * What a start and doctor say of a store that is damaged or cannot be used, judged by one question: would
 * somebody who follows the words lose anything?
 */
import {
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { loam } from '../helpers/in-process.ts'
import { startService } from '../helpers/service.ts'
import { mayMount, mountSmallDisk } from '../helpers/small-disk.ts'

const onServer = Boolean(process.env['LOAM_TEST_DATABASE_URL'])

type Folder = Awaited<ReturnType<typeof openFolder>>

interface State {
  /** Damages the store in the data directory. What it returns puts things back afterwards. */
  damage(dataDir: string): Promise<void | (() => Promise<unknown>)>
  /** What a start says, and doctor as well unless that is named. */
  says: RegExp
  doctor?: RegExp
  /** Whether damage is proved: only then anything may be moved aside, and the price is named first. */
  proved?: boolean
  /** Why it cannot be made here. */
  missing?: string | false
}

const cluster = (dataDir: string): string => join(dataDir, 'db/cluster')
const control = (dataDir: string): string => join(cluster(dataDir), 'global/pg_control')
const logs = async (dataDir: string): Promise<string[]> => {
  const names = await readdir(join(cluster(dataDir), 'pg_wal'))
  return names
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .map((name) => join(cluster(dataDir), 'pg_wal', name))
}
const DAMAGED =
  /cannot be used: it is damaged: .*put back the last backup of the whole data directory/

/** Moves the data directory onto a small disk of its own that is full to the last block. */
async function onFullDisk(dataDir: string): Promise<() => Promise<unknown>> {
  await rename(dataDir, `${dataDir}-aside`)
  await mkdir(dataDir)
  const unmount = await mountSmallDisk(dataDir, '120m')
  await cp(`${dataDir}-aside`, dataDir, { recursive: true })
  await writeFile(join(dataDir, 'fill'), Buffer.alloc(130 * 1024 * 1024)).catch(() => {})
  return unmount
}

const STATES: Record<string, State> = {
  'on a full disk (R15)': {
    damage: onFullDisk,
    says: /cannot be used: its disk is (nearly )?full.*make room/,
    doctor: /disk +\d+ MiB are free: make room.* leave it where it is/,
    missing: !mayMount && 'it needs root and a disk of its own',
  },
  'whose directory is a file (R16)': {
    async damage(dataDir) {
      await rename(dataDir, `${dataDir}-aside`)
      await writeFile(dataDir, '')
    },
    says: /data_dir: \S+ is not a directory/,
    doctor: /is not a directory/,
  },
  'whose directory is a link that leads nowhere (R16)': {
    async damage(dataDir) {
      await rename(dataDir, `${dataDir}-aside`)
      await symlink(`${dataDir}-nowhere`, dataDir)
    },
    says: /loam-data: cannot be created: it is (a link that leads nowhere|not a directory); check data_dir/,
    doctor: /does not exist yet|no store stands/,
  },
  'whose database’s place is a file (R16)': {
    async damage(dataDir) {
      await rename(join(dataDir, 'db'), join(dataDir, 'db-aside'))
      await writeFile(join(dataDir, 'db'), '')
    },
    says: /loam-data\/db of the embedded database cannot be used: it is not a directory; check data_dir/,
  },
  'whose files belong to somebody else (R16)': {
    async damage(dataDir) {
      await chmod(cluster(dataDir), 0o000)
    },
    says: /may not read and write all of its files.*leave the database where it is/,
    missing: process.getuid?.() === 0 && 'nothing is closed to root',
  },
  'that lost its control file (R03)': {
    damage: (dataDir) => rm(control(dataDir)),
    says: DAMAGED,
    proved: true,
  },
  'whose control file was cut (R34)': {
    damage: (dataDir) => truncate(control(dataDir), 100),
    says: DAMAGED,
    proved: true,
  },
  'whose control file has a flipped bit (R34)': {
    async damage(dataDir) {
      const bytes = await readFile(control(dataDir))
      bytes[60]! ^= 1
      await writeFile(control(dataDir), bytes)
    },
    says: DAMAGED,
    proved: true,
  },
  'whose log is of another time (R03, R37)': {
    async damage(dataDir) {
      for (const path of await logs(dataDir)) await writeFile(path, Buffer.alloc(16 * 1024 * 1024))
    },
    says: DAMAGED,
    proved: true,
  },
  'of which only half was restored (R20)': {
    damage: (dataDir) => rm(join(cluster(dataDir), 'base'), { recursive: true }),
    says: DAMAGED,
    proved: true,
  },
  'whose configuration was spoilt': {
    damage: (dataDir) => writeFile(join(cluster(dataDir), 'postgresql.conf'), 'nonsense = = 3\n'),
    says: /its configuration file has an error.*leave the database where it is/,
  },
  'of another release of PostgreSQL (R36)': {
    damage: (dataDir) => writeFile(join(cluster(dataDir), 'PG_VERSION'), '17\n'),
    says: /made by another release of PostgreSQL: start the version of Loam that ran on it last.*loam export/,
  },
  'of a newer version (R21)': {
    async damage(dataDir) {
      await using database = await openTestDatabase({ onDisk: dataDir })
      await sql`insert into schema_migrations (number, name, checksum) values (9999, 'later', 'x')`.execute(
        database.db,
      )
    },
    says: /schema is at step 9999 .*start the newer version again/,
  },
  'without its mark (R16)': {
    damage: (dataDir) => rm(join(dataDir, '.loam-store')),
    says: /no \.loam-store in it.*check data_dir and that its disk is mounted/,
    doctor: /no store stands at .*look first whether its disk is mounted/,
  },
  'with the mark of another one (R37)': {
    damage: (dataDir) => writeFile(join(dataDir, '.loam-store'), '01K9ZC4T7Q8V2M5N6P3R1S0WXY\n'),
    says: /is of store 01K9ZC4T7Q8V2M5N6P3R1S0WXY and the database of store \w+: check data_dir/,
    doctor: /the database is not that of the store/,
  },
}

/** Words by which somebody would give up what is still there. */
const GIVES_UP =
  /\b(?:delete it|remove it|move \S+ (?:away|aside)|moved away|another data(?:_| )dir(?:ectory)?)\b/

describe.skipIf(onServer)('a store', () => {
  let origin: Folder
  beforeAll(async () => {
    origin = await openFolder()
    const service = await startService({ folder: origin.path })
    await service.stop()
    await mkdir(join(service.dataDir, 'notes/atlas'), { recursive: true })
    await writeFile(
      join(service.dataDir, 'notes/atlas/kept.md'),
      '---\nid: 01K9ZC4T7Q8V2M5N6P3R1S0WXZ\ntitle: Kept\ncreated: 2026-01-01T00:00:00Z\n' +
        'updated: 2026-01-01T00:00:00Z\n---\nbody\n',
    )
  })
  afterAll(() => origin[Symbol.asyncDispose]())

  const copyOf = async (): Promise<Folder> => {
    const folder = await openFolder()
    await cp(origin.path, folder.path, { recursive: true })
    const client = join(folder.path, '.config/loam/client.yaml')
    const text = await readFile(client, 'utf8')
    await writeFile(client, text.replaceAll(origin.path, folder.path))
    return folder
  }
  const knowledge = (dataDir: string): Promise<string> =>
    readFile(join(dataDir, 'notes/atlas/kept.md'), 'utf8')

  test.for(Object.entries(STATES))(
    '%s: start and doctor say what to do, and nobody who follows loses anything',
    async ([, { damage, says, doctor = says, proved = false, missing }], { skip }) => {
      if (missing) skip(missing)
      await using folder = await copyOf()
      const dataDir = join(folder.path, 'loam-data')
      const undo = await damage(dataDir)
      try {
        const env = { LOAM_ADDR: '127.0.0.1:0' }
        const started = await loam(['serve', '--log-file', join(folder.path, 'log')], {
          folder: folder.path,
          env,
        })
        const looked = await loam(['doctor'], { folder: folder.path, env })

        expect(started.code).toBe(1)
        expect(started.stderr).toMatch(says)
        expect(looked.code).toBe(1)
        expect(looked.stdout).toMatch(doctor)
        for (const words of [started.stderr, looked.stdout]) {
          expect(words).not.toMatch(/\n +at |internal error/)
          if (!proved) expect(words).not.toMatch(GIVES_UP)
        }
        if (!proved) return
        const price = started.stderr.indexOf('without tasks, sessions')
        expect(price).toBeGreaterThan(0)
        expect(started.stderr).toContain(`move ${cluster(dataDir)} aside and keep it`)
        expect(await knowledge(dataDir)).toContain('title: Kept')
      } finally {
        await undo?.()
      }
    },
  )

  test('that lost its database is built from its files, and the price is said before', async () => {
    await using folder = await copyOf()
    const dataDir = join(folder.path, 'loam-data')
    await rm(join(dataDir, 'db'), { recursive: true })
    const looked = await loam(['doctor'], { folder: folder.path })
    expect(looked.code).toBe(1)
    expect(looked.stdout).toMatch(
      /has no database: .*a backup of it is still there, put it back.*without tasks, sessions/,
    )

    await using service = await startService({
      folder: folder.path,
      env: { LOAM_LOG_LEVEL: 'info' },
    })
    await expect.poll(() => service.stderr()).toContain('in line with the files')
    const said = service.stderr()
    const price = said.indexOf(
      'That does not bring back tasks, sessions, findings, trials and events',
    )
    expect(price).toBeGreaterThan(0)
    expect(price).toBeLessThan(said.indexOf('in line with the files'))
  })

  test.skipIf(!mayMount)(
    'on a disk too small for a new database says so in the sentence and in the log',
    async () => {
      await using folder = await openFolder()
      const dataDir = join(folder.path, 'loam-data')
      await mkdir(dataDir)
      const unmount = await mountSmallDisk(dataDir, '30m')
      try {
        const log = join(folder.path, 'log')
        const started = await loam(['serve', '--log-file', log], {
          folder: folder.path,
          env: { LOAM_ADDR: '127.0.0.1:0' },
        })
        expect(started.code).toBe(1)
        expect(started.stderr).toContain('cannot be used: its disk is full: make room')
        expect(await readFile(log, 'utf8')).toContain('"cause":"ErrnoError: ENOSPC')
      } finally {
        await unmount()
      }
    },
  )

  test('that is new has no price to name', async () => {
    await using folder = await openFolder()
    await using service = await startService({ folder: folder.path })
    expect(service.stderr()).not.toContain('bring back')
  })
})
