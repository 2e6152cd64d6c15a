import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { fetchPage } from '../../src/capture/fetch.ts'
import { readPage } from '../../src/capture/read.ts'
import { parseUrl } from '../../src/capture/target.ts'
import { loadConfig } from '../../src/config.ts'
import { openNetwork } from '../../src/kernel/network.ts'
import { defineAttack, none } from './attack.ts'
import type { Menu } from './hostile-server.ts'

const MIB = 1024 * 1024
/** The deadlines of fetching and of reading, and what a busy machine adds. */
const MOST_MS = 15_000 + 8_000 + 4_000
/** MiB. In a few rounds it is the collector that decides, and only a missing bound is seen. */
const MOST_GROWTH = { full: 64, few: 160 }
/** UTF-16 units that may leave the reading thread. */
const MOST_TEXT = 110_000

export const hostilePages = defineAttack({
  id: 'S2',
  title: 'hostile pages take bounded time and memory, and come to an end or to a note',
  rounds: 1_000,
  once: true,

  async run({ rounds, random, full, log }) {
    await using web = await openHostileWeb()
    const { config } = await loadConfig({ env: { HOME: '/nowhere' }, cwd: '/' })
    const network = openNetwork({
      resolve: async () => ['93.184.216.34'],
      connect: () => connect(web.port, '127.0.0.1'),
    })
    const kernel = { config, network, log: pino({ level: 'silent' }) }
    const found: unknown[] = []

    async function capture(name: string, path: string): Promise<string> {
      const started = performance.now()
      const said = await network
        .reaching(async (stop) => {
          const url = parseUrl(`http://hostile.example${path}`)
          const page = await fetchPage(kernel, url, { userAgent: 'attack', stop })
          assert.ok(page.bytes.length <= 2 * MIB, 'more than 2 MiB were kept')
          return network.digesting(() => readPage(kernel, page, stop))
        })
        .then(
          ({ title, text }) => {
            if (title.length > 1_000 || text.length > MOST_TEXT) found.push([name, 'is too long'])
            return 'kept'
          },
          (error: Error) => (error.name === 'Refusal' ? 'refused' : `${error.stack}`),
        )
      const took = performance.now() - started
      if (took > MOST_MS) found.push([name, `took ${Math.round(took)} ms`])
      if (!['kept', 'refused'].includes(said)) found.push([name, said])
      return said
    }

    // What honest pages take, once and for good, is no growth.
    for (let each = 0; each < 16; each++) {
      assert.equal(await capture('a long page', '/harmless'), 'kept')
    }
    const before = memory()
    let peak = before
    const watching = setInterval(() => (peak = Math.max(peak, memory())), 20)

    const all = rounds >= 1_000
    const pages = web.pages.map((name, index) => [name, `/pages/${index}`] as const)
    for (const [name, path] of all ? pages : Array.from({ length: 5 }, () => random.pick(pages)))
      await capture(name, path)
    const servers = web.servers.map((name, index) => [name, `/servers/${index}`] as const)
    const isSlow = ([name]: readonly [string, string]): boolean => /never|ever|now and/.test(name)
    for (const [name, path] of servers.filter((each) => !isSlow(each))) await capture(name, path)
    // Those that take all the time there is take it together.
    const slow = servers.filter(isSlow)
    await Promise.all((all ? slow : slow.slice(0, 4)).map(([name, path]) => capture(name, path)))
    for (let round = 0; round < rounds / 10; round++) {
      await capture('a soup of tags', `/soup/${random.int(2 ** 31)}`)
    }

    clearInterval(watching)
    await sleep(100)
    log(`memory ${before.toFixed(0)} MiB, at most ${peak.toFixed(0)}, then ${memory().toFixed(0)}`)
    none(found, 'a page that got further than it may')
    const most = full ? MOST_GROWTH.full : MOST_GROWTH.few
    assert.ok(peak - before <= most, `memory grew by ${(peak - before).toFixed(0)} MiB`)
  },
})

async function openHostileWeb(): Promise<Menu & AsyncDisposable> {
  const child = fork(new URL('./hostile-server.ts', import.meta.url), { execArgv: [] })
  const [menu] = (await once(child, 'message')) as [Menu]
  return {
    ...menu,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const memory = (): number => process.memoryUsage.rss() / MIB
