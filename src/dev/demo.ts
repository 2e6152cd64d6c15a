/** `npm run demo`: makes a store that a small company's agents have filled for six weeks, and serves it. */
import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { pino } from 'pino'
import { demoConfig, makeDemo } from './demo/make.ts'
import { readLedger } from './demo/place.ts'
import { serve } from './demo/serve.ts'
import { reportFailure } from './report-failure.ts'

const HELP = `npm run demo -- [options]

  --dir <path>     the store's directory; default ./loam-demo, with --scale ./loam-demo-<n>
  --scale <n>      how much of everything; default 1
  --seed <n>       other content; default 42
  --now <time>     the store's last moment, RFC 3339; default the time it is
  --fill-only      fills and does not serve
`

const read = () =>
  parseArgs({
    options: {
      dir: { type: 'string' },
      scale: { type: 'string', default: '1' },
      seed: { type: 'string', default: '42' },
      now: { type: 'string' },
      'fill-only': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values

await reportFailure('demo', async () => {
  const options = read()
  if (options.help) return console.log(HELP)
  const scale = Number(options.scale)
  const dir = resolve(options.dir ?? (scale === 1 ? 'loam-demo' : `loam-demo-${scale}`))
  const log = pino({ level: process.env['LOAM_LOG_LEVEL'] ?? 'warn' })
  if (!(await readLedger(dir))) {
    console.log(`Six weeks of work are written into ${dir}`)
    const began = performance.now()
    const now = new Date(options.now ?? Date.now())
    const { sessions, memories, notes } = await makeDemo({
      ...{ dir, scale, seed: Number(options.seed), now, env: process.env, log },
      progress: (share) => process.stdout.write(`\r${Math.round(100 * share)} %`),
    })
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(
      `\r${sessions.length} sessions, ${memories.length} memories and ${notes.length} notes in ${seconds} s`,
    )
  }
  if (options['fill-only']) return
  const config = await demoConfig(dir, process.env)
  const { url } = await serve(config, log)
  console.log(`\nconsole  ${url}/console/\nkey      ${config.mcp.api_key}`)
})
