import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openFolder } from '../helpers/folder.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault } from './fault.ts'
import { diskMissing, makeDisk, type Disk } from './store-disk.ts'
import { mismatches, openStore, untilHealth, type Store } from './store-process.ts'

const run = promisify(execFile)
const NOBODY = 65_534
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']

/** A server's database does not lie on the disk that is taken away. */
const onServer = () => Boolean(process.env['LOAM_TEST_DATABASE_URL'])

/** Each answers what the product said. */
const CASES: Record<string, (folder: string) => Promise<string>> = {
  'a start where nothing may be written': async (folder) => {
    const dataDir = await prepared(folder)
    await rm(join(dataDir, '.loam-store'), { force: true })
    await chmod(dataDir, 0o500)
    return refusedStart(folder, AS_NOBODY)
  },

  'a start on a disk that is read-only': async (folder) => {
    const disk = await makeDisk(join(folder, 'disk.img'), join(folder, 'loam-data'), 300)
    try {
      await disk.writable(false)
      return await refusedStart(folder, [], true)
    } finally {
      await disk.detach()
    }
  },

  'directories that are closed and opened again': async (folder) => {
    const dataDir = await prepared(folder)
    const store = await openStore(folder, {}, { under: AS_NOBODY })
    const closed = async (mode: number): Promise<void> => {
      for (const path of ['', 'notes', 'notes/atlas']) await chmod(join(dataDir, path), mode)
    }
    return interrupted(
      store,
      'storage is read-only',
      () => closed(0o500),
      () => closed(0o700),
    )
  },

  'more files than may be open': async (folder) => {
    // The embedded database holds a hundred of its own.
    const most = onServer() ? 60 : 250
    const store = await openStore(folder, {}, { under: ['prlimit', `--nofile=${most}:${most}`] })
    const wires: Wire[] = []
    while (wires.length < 60) wires.push(await openWire(store))
    const notes = wires.map((wire, n) =>
      call(wire, 'notes_create', { title: `Note ${n}`, body: 'B', project: 'atlas' }).catch(String),
    )
    const said = await Promise.all(notes)
    const odd = said.filter(
      (text) => text !== '' && !/too many open files|socket hang up|ECONN/.test(text),
    )
    if (odd.length > 0) throw new Error(odd.join('\n'))
    const written = said.filter((text) => text === '').length
    // Once the connections are closed there are handles again.
    const last = { title: 'Last', body: 'B', project: 'atlas' }
    const end = performance.now() + 10_000
    while ((await call(await openWire(store), 'notes_create', last).catch(String)) !== '') {
      if (performance.now() > end) throw new Error('no handle came back')
      await sleep(200)
    }
    return settled(store, `${written} of ${wires.length} written, the others refused`)
  },

  'a disk that turns read-only under the service': async (folder) => {
    if (!onServer()) return 'not on the embedded database, whose files hold the disk open'
    return withDisk(folder, (store, disk) =>
      interrupted(
        store,
        'storage is read-only',
        () => disk.writable(false),
        () => disk.writable(true),
      ),
    )
  },

  'a disk that is taken away under the service': async (folder) => {
    if (!onServer()) return 'not on the embedded database, which lies on it'
    return withDisk(folder, (store, disk) =>
      interrupted(
        store,
        'storage is missing',
        () => disk.detach({ lazily: true }),
        () => disk.attach(),
      ),
    )
  },
}

export const storeClosed = defineFault({
  id: 'R16',
  title:
    'a data directory that is closed, gone or out of handles is named, and well again when it is back',
  rounds: Object.keys(CASES).length,
  missing: (given) =>
    diskMissing(given) ?? (existsSync('/usr/bin/setpriv') ? null : 'it needs setpriv'),

  async run({ rounds, log }) {
    for (const [name, test] of Object.entries(CASES).slice(0, rounds)) {
      await using folder = await openFolder()
      await chmod(folder.path, 0o777)
      log(`${name}: ${await test(folder.path)}`)
    }
    return `${rounds} ways`
  },
})

/** A store on disk that belongs to nobody. */
async function prepared(folder: string): Promise<string> {
  const dataDir = join(folder, 'loam-data')
  await (await openTestDatabase({ onDisk: dataDir })).close()
  await run('mkdir', ['-p', dataDir])
  await run('chown', ['-R', `${NOBODY}:${NOBODY}`, dataDir])
  return dataDir
}

async function refusedStart(folder: string, under: string[], fresh = false): Promise<string> {
  const how = { under, fresh }
  const outcome = await openStore(folder, {}, how).then(
    async (store) => {
      await store.service.stop('SIGKILL')
      return 'started'
    },
    (error: Error) => error.message,
  )
  const [, code, said = ''] = /^loam serve ended with (\d+): ([^]*)$/.exec(outcome) ?? []
  if (code !== '1' || /\n +at |internal/.test(said)) throw new Error(outcome)
  return said.trim()
}

async function withDisk(
  folder: string,
  work: (store: Store, disk: Disk) => Promise<string>,
): Promise<string> {
  const disk = await makeDisk(join(folder, 'disk.img'), join(folder, 'loam-data'), 300)
  try {
    return await work(await openStore(folder), disk)
  } finally {
    await disk.detach()
  }
}

/** Writes are refused in these words while storage is away, nothing changes, and all is well afterwards. */
async function interrupted(
  store: Store,
  words: string,
  away: () => Promise<void>,
  back: () => Promise<void>,
): Promise<string> {
  try {
    const wire = await openWire(store)
    const note = { title: 'Note', body: 'B', project: 'atlas' }
    const create = () => call(wire, 'notes_create', note)
    await call(wire, 'notes_create', { ...note, title: 'First' })
    await away()
    const said = await create()
    if (!said.startsWith(`notes_create: ${words}`)) throw new Error(`a write was answered: ${said}`)
    const degraded = await untilHealth(store, (status) => status === 'degraded')
    await back()
    const began = performance.now()
    await untilHealth(store, (status) => status === 'ok')
    const took = (performance.now() - began).toFixed(0)
    const after = await create()
    if (after !== '') throw new Error(`afterwards: ${after}`)
    return await settled(store, `"${said}", ${degraded}, well after ${took} ms`)
  } finally {
    await store.service.stop('SIGKILL')
  }
}

/** Row and file agree; nothing half done lies about. */
async function settled(store: Store, said: string): Promise<string> {
  await store.service.stop()
  const wrong = await mismatches(store.dataDir)
  const names = await readdir(join(store.dataDir, 'notes'), { recursive: true })
  if (wrong.length > 0) throw new Error(`row and file differ: ${wrong.join()}`)
  const temps = names.filter((name) => name.endsWith('.tmp'))
  if (temps.length > 0) throw new Error(`left behind: ${temps.join()}`)
  return said
}

/** The words of a refusal; '' when it was done. */
async function call(wire: Wire, name: string, args: object): Promise<string> {
  const { body } = await wire.ask('tools/call', { name, arguments: args })
  if (body?.result === undefined) throw new Error(JSON.stringify(body))
  return body.result.isError ? String(body.result.content[0].text) : ''
}
