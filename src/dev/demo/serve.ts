/** Serves a demo store on its own port, with agents at work in it, until a signal stops it. */
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { buildApp, type App } from '../../app.ts'
import { splitAddress } from '../../config/forms.ts'
import type { Settings } from '../../config.ts'
import { listenOn } from '../../http/listen.ts'
import { identifyIn } from './house.ts'
import { newLedger } from './ledger.ts'
import { randomFrom } from './random.ts'
import { simulate } from './simulate.ts'

export interface Served {
  house: App
  /** Without a slash at its end. */
  url: string
}

export async function serve(settings: Settings, log: Logger): Promise<Served> {
  const { config } = settings
  const house = await buildApp(config, { log, configured: settings })
  try {
    await listenOn(house.app, config.addr)
  } catch (error) {
    await house.close()
    throw error
  }
  await house.caughtUp
  const { port } = house.app.server.address() as AddressInfo
  return { house, url: `http://${splitAddress(config.addr).host}:${port}` }
}

/** Lets agents work in a house that is served, at so many steps a second. Returns what ends it. */
export function bringAgents({ house }: Served, pace: number, log: Logger): () => Promise<void> {
  const { kernel, app } = house
  const now = new Date()
  const at = now.toISOString()
  // Chance of its own each time: what these agents do is new.
  const seed = now.getTime() % 2 ** 31
  return simulate({
    pace,
    random: randomFrom(seed),
    failed: (err) => log.warn({ err }, 'an agent of the demo failed at a step'),
    world: {
      app,
      key: kernel.config.mcp.api_key,
      ledger: newLedger({ seed, scale: 0, now: at, from: at, key: '' }),
      now: () => new Date(),
      settled: async () => {},
      expireSilent: async () => {},
      identify: identifyIn(kernel.db),
    },
  })
}

/** Ends both when a signal asks for it; a second one ends at once. */
export function stopWhenAsked({ house }: Served, stopAgents: () => Promise<void>): void {
  let asked = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1)
      asked = true
      void stopAgents()
        .then(() => house.close())
        .then(() => process.exit(0))
    })
  }
}
