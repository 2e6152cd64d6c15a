/** The pages of a demo store as its owner's browser asks for them: alone, and beside tabs that are refreshed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { quantile } from '../attacks/attack.ts'
import { TABS as TABS_OF_PROJECTS } from '../../src/console/projects/tabs.ts'
import { readLedger } from '../../src/dev/demo/place.ts'
import { send } from '../helpers/wire.ts'
import { rounded, temporary, timed } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ROUNDS = 60
/** Of the first rounds nothing is told: they warm the service up. */
const WARM = 10
const TABS = 6
/** A tab that is seen is refreshed as often as this at most. */
const REFRESH_MS = 1_000

/** Milliseconds of the 95th percentile, on an idle store, and beside the tabs. */
const LIMITS = { server: 60, embedded: 120 }
const BESIDE = 2

export async function pageTimes({ demo, log }: BenchOptions): Promise<Report> {
  await using folder = await temporary()
  const dir = demo ?? join(folder.path, 'demo')
  const served = await serveDemo(dir)
  try {
    const limit = process.env['LOAM_DATABASE_URL'] ? LIMITS.server : LIMITS.embedded
    const paths = await pathsIn(dir)
    log(`${paths.length} pages of ${dir}, in turn`)
    const alone = await inTurn(served, paths)
    const stop = openTabs(served, paths.slice(0, TABS))
    const beside = await inTurn(served, paths)
    await stop()
    const bare = quantile(alone.get('/healthz')!, 0.5)
    const rows = paths.map((path) => {
      const [own, other] = [alone.get(path)!, beside.get(path)!]
      return {
        page: path.replaceAll(/\w{26}/g, '…'),
        'p50 ms': rounded(quantile(own, 0.5)),
        'p95 ms': rounded(quantile(own, 0.95)),
        'in bare requests': rounded(quantile(own, 0.5) / bare),
        'p95 beside tabs ms': rounded(quantile(other, 0.95)),
      }
    })
    const missed = rows.flatMap((row) => [
      ...(row['p95 ms'] > limit ? [`${row.page}: p95 ${row['p95 ms']} ms, limit ${limit}`] : []),
      ...(row['p95 beside tabs ms'] > BESIDE * limit
        ? [`${row.page}: p95 ${row['p95 beside tabs ms']} ms beside tabs, limit ${BESIDE * limit}`]
        : []),
    ])
    return { rows, missed }
  } finally {
    served.child.kill()
    await served.ended
  }
}

interface ServedDemo {
  child: ChildProcess
  ended: Promise<unknown>
  url: string
  cookie: string
}

/** Serves the store of a directory as `npm run demo` does, and fills it first when it is empty; nobody works in it. */
async function serveDemo(dir: string): Promise<ServedDemo> {
  const args = ['--max-semi-space-size=16', 'src/dev/demo.ts', '--dir', dir, '--pace', '0']
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, LOAM_ADDR: '127.0.0.1:0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const said: Record<string, string> = {}
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name, value] = /^ {2}(console|key|data) +(.+)$/.exec(line) ?? []
    if (name && value) said[name] = value
    if (name === 'data') break
  }
  if (!said['console']) throw new Error('the demo was not served')
  const url = new URL(said['console']).origin
  const answer = await send(url, {
    method: 'POST',
    path: '/console/login',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      accept: 'text/html',
    },
    body: new URLSearchParams({ key: said['key']! }).toString(),
  })
  const [cookie = ''] = (answer.headers['set-cookie'] ?? []).map((each) => each.split(';')[0]!)
  if (!cookie) throw new Error(`signed in with ${answer.status}`)
  return { child, ended, url, cookie }
}

/** The tabs that an owner keeps open come first. */
async function pathsIn(dir: string): Promise<string[]> {
  const { sessions, memories, notes, tasks, plans } = (await readLedger(dir))!
  const busy = sessions.toSorted((a, b) => b.injections - a.injections)[0]!
  const { project } = busy
  return [
    '/console/',
    '/console/now',
    '/console/sessions',
    '/console/interactions?history=3600',
    '/console/memories',
    '/console/notes',
    '/console/?w=7d',
    '/console/?w=30d',
    '/console/?w=all',
    '/console/retrieval',
    '/console/retrieval?w=7d',
    '/console/retrieval?w=30d',
    '/console/retrieval?w=all',
    '/console/labs',
    '/console/trials',
    '/console/sessions?w=all',
    '/console/sessions?w=30d&q=route',
    `/console/sessions/${busy.id}`,
    '/console/interactions?history=86400',
    '/console/memories?q=deploy',
    '/console/memories?sort=utility',
    '/console/plans',
    '/console/plans?phase=done',
    `/console/plans/${plans.at(-1)!.slug}?project=${plans.at(-1)!.project}`,
    '/console/tasks',
    '/console/tasks?status=closed',
    `/console/tasks/${tasks.at(-1)!.id}`,
    '/console/projects',
    '/console/projects?group=family&sort=reach&w=all',
    ...TABS_OF_PROJECTS.map((tab) => `/console/projects/${project}?tab=${tab}`),
    '/console/context',
    `/console/context?scope=project&project=${project}`,
    `/console/context?scope=project&project=${project}&client=claude-code&prompt=deploy+the+import`,
    '/console/gardener',
    '/console/settings',
    `/console/memories/${memories.at(-1)!.id}`,
    `/console/notes/${notes.at(-1)!.id}`,
    '/console/search?q=the+import+of+a+parcel',
    '/console/search?q=deploy&fast=1',
    '/console/search?q=01',
    '/healthz',
  ]
}

const ask = async ({ url, cookie }: ServedDemo, path: string): Promise<void> => {
  const answer = await send(url, { path, headers: { accept: 'text/html', cookie } })
  if (answer.status !== 200) throw new Error(`${path} is answered with ${answer.status}`)
}

/** Milliseconds of each page, asked for in rounds so that what else happens falls on all of them. */
async function inTurn(
  served: ServedDemo,
  paths: readonly string[],
): Promise<Map<string, number[]>> {
  const times = new Map(paths.map((path) => [path, [] as number[]]))
  for (let round = 0; round < WARM + ROUNDS; round++) {
    for (const path of paths) {
      const ms = await timed(() => ask(served, path))
      if (round >= WARM) times.get(path)!.push(ms)
    }
  }
  return times
}

/** Tabs that are refreshed as a busy fleet makes them be. Returns what closes them. */
function openTabs(served: ServedDemo, paths: readonly string[]): () => Promise<void> {
  let open = true
  const tabs = paths.map(async (path, nth) => {
    await sleep((nth * REFRESH_MS) / paths.length)
    while (open) {
      const took = await timed(() => ask(served, path))
      await sleep(Math.max(0, REFRESH_MS - took))
    }
  })
  return async () => {
    open = false
    await Promise.all(tabs)
  }
}
