/** `npm run demo`: makes a store that a small company's agents have filled for six weeks, and serves it. */
import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { pino } from 'pino'
import { assertFree } from '../http/listen.ts'
import { parseTime } from '../kernel/clock.ts'
import { demoAddress, demoSettings, makeDemo } from './demo/make.ts'
import { readLedger } from './demo/place.ts'
import { bringAgents, serve, stopWhenAsked } from './demo/serve.ts'
import { FASTEST } from './demo/simulate.ts'
import { reportFailure } from './report-failure.ts'

const HELP = `npm run demo -- [options]

  --dir <path>     the store's directory; default ./loam-demo, with --scale ./loam-demo-<n>
  --scale <n>      how much of everything; default 1
  --seed <n>       other content; default 42
  --now <time>     the store's last moment, RFC 3339; default the time it is
  --pace <n>       steps of the agents at work, a second; at most 10, 0 for none; default 0.25
  --with <names>   optional features that are on from the first day, with commas between; default research
  --fill-only      fills and does not serve
`

const read = () =>
  parseArgs({
    options: {
      dir: { type: 'string' },
      scale: { type: 'string', default: '1' },
      seed: { type: 'string', default: '42' },
      now: { type: 'string' },
      pace: { type: 'string', default: '0.25' },
      with: { type: 'string', default: 'research' },
      'fill-only': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values

function number(name: string, given: string, { least, most }: { least: number; most: number }) {
  const value = Number(given)
  if (given.trim() !== '' && value >= least && value <= most) return value
  throw new Error(`--${name} is a number from ${least} to ${most}`)
}

await reportFailure('demo', async () => {
  const options = read()
  if (options.help) return console.log(HELP)
  const scale = number('scale', options.scale, { least: 0.1, most: 1_000 })
  const dir = resolve(options.dir ?? (scale === 1 ? 'loam-demo' : `loam-demo-${scale}`))
  // What is amiss in the demo's knowledge is part of the demo: the console tells it.
  const log = pino({ level: process.env['LOAM_LOG_LEVEL'] ?? 'error' })
  if (!(await readLedger(dir))) {
    if (!options['fill-only']) await assertFree(await demoAddress(dir, process.env))
    console.log(`Six weeks of work are written into ${dir}`)
    const began = performance.now()
    const now = options.now === undefined ? new Date() : parseTime(options.now)
    if (!now) throw new Error('--now is a time as 2026-11-20T15:30:00Z')
    const { sessions, memories, notes } = await makeDemo({
      ...{ dir, scale, seed: Number(options.seed), now, env: process.env, log },
      features: options.with.split(','),
      progress: (share) => process.stdout.write(`\r${Math.round(100 * share)} %`),
    })
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(
      `\r${sessions.length} sessions, ${memories.length} memories and ${notes.length} notes in ${seconds} s`,
    )
  }
  if (options['fill-only']) return
  const settings = await demoSettings(dir, process.env)
  const served = await serve(settings, log)
  const pace = number('pace', options.pace, { least: 0, most: FASTEST })
  const stopAgents = pace > 0 ? bringAgents(served, pace, log) : async () => {}
  stopWhenAsked(served, stopAgents)
  console.log(`
  console  ${served.url}/console/
  key      ${settings.config.mcp.api_key}
  data     ${dir}

Open the console and sign in with the key. Agents go on working there; Ctrl+C ends it. The next run
serves the same store; remove the directory for a new one.`)
})
