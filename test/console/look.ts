/**
 * Looks at every page in every state, theme and width: `npm run look`. It makes its stores and serves them
 * itself, takes a picture of each sight, prints what is wrong, and ends with 1 when anything is.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { reportFailure } from '../../src/dev/report-failure.ts'
import { openBrowser, withoutBrowser } from '../helpers/browser.ts'
import { LOOKED, NEW_LOOKS, readLooked, seenBefore } from './look/looked.ts'
import { lookAt, type Finding } from './look/looking.ts'
import { glancesOf, LOOKS, type Glance } from './look/looks.ts'
import { sightsOf } from './look/sights.ts'
import { Stores, STORES } from './look/stores.ts'

const HELP = `npm run look -- [options]

  --to <folder>    where pictures are kept; default ${join(tmpdir(), 'loam-look')}
  --only <words>   only sights whose name matches this expression
  --store <words>  only these stores: ${STORES.join(', ')}
  --look <words>   only these looks: ${LOOKS.map(({ name }) => name).join(', ')}
  --windows <n>    how many are open at once; default 2
  --scale <n>      how full the full store is; default 1
`

await reportFailure('look', async () => {
  const { values: options } = parseArgs({
    options: {
      to: { type: 'string', default: join(tmpdir(), 'loam-look') },
      only: { type: 'string', default: '' },
      store: { type: 'string', default: '' },
      look: { type: 'string', default: '' },
      windows: { type: 'string', default: '2' },
      scale: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(HELP)
  if (withoutBrowser !== undefined) throw new Error(withoutBrowser)
  await mkdir(options.to, { recursive: true })
  const began = performance.now()
  await using stores = new Stores(Number(options.scale))
  await using browser = await openBrowser()
  const { only, store: among, look, to: folder } = options
  const isOfAll = only + among === ''
  const found = new Set<string>()
  const tell = (_: Glance, findings: readonly Finding[]): void => {
    for (const { where, what } of findings) {
      // What is wrong in one place is so in others: it is told once.
      if (!found.has(what)) console.log(`${where}: ${what}`)
      found.add(what)
    }
  }
  const names: string[] = []
  const seen: Glance[] = []
  let wrong = 0
  for (const store of STORES.filter((store) => store.match(among))) {
    const sights = (await sightsOf(stores, [store])).filter(({ name }) => name.match(only))
    names.push(...sights.map(({ name }) => name))
    const glances = glancesOf(sights).filter((glance) => glance.look.name.match(look))
    seen.push(...glances)
    const how = { browser, stores, folder, windows: Number(options.windows), seen: tell }
    wrong += (await lookAt(glances, how)).length
    console.log(`${store}: ${sights.length} sights after ${secondsSince(began)} s`)
  }
  const judged = seen.filter((glance) => glance.judged).length
  console.log(`
${names.length} sights, ${seen.length} glances, ${judged} of them judged by axe, in ${secondsSince(began)} s
${wrong} findings of ${found.size} kinds; pictures in ${folder}`)
  if (wrong > 0) process.exitCode = 1
  else if (NEW_LOOKS.every((name) => name.match(look))) {
    await writeFile(LOOKED, seenBefore(isOfAll ? names : [...readLooked(), ...names]))
  }
})

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 1000)
}
