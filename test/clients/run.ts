/**
 * The clients themselves: `npm run clients [-- --only <part>…]`, where a part is a story (sealed,
 * confidential) or `abilities`. Installs the clients once, runs the parts, writes what the suite replays
 * into `recordings/`, and into `abilities.json` what each client can do. Exits with 1 when a call landed
 * where it does not belong.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { abilitiesOf, abilitiesOfInspector, type Abilities } from './abilities.ts'
import { claudeCode } from './clients/claude-code.ts'
import { codex } from './clients/codex.ts'
import { gemini } from './clients/gemini.ts'
import { opencode } from './clients/opencode.ts'
import { qwen } from './clients/qwen.ts'
import { clientPackages } from './packages.ts'
import { written } from './recording.ts'
import { tellStory } from './story.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, calls: { type: 'string' } },
})
const calls = Number(values.calls ?? 40)
const RECORDINGS = fileURLToPath(new URL('recordings', import.meta.url))
const ABILITIES = fileURLToPath(new URL('abilities.json', import.meta.url))
const log = (line: string): void => console.log(`  ${line}`)

const STORIES = {
  sealed: { slug: 'crypt', isolation: 'sealed' },
  confidential: { slug: 'ledger', isolation: 'confidential' },
} as const

const isWanted = (part: string): boolean => values.only?.includes(part) ?? true

let failed = false
for (const [name, closed] of Object.entries(STORIES)) {
  if (!isWanted(name)) continue
  console.log(`the story with a ${name} project`)
  const { folder, wrong, ...story } = await tellStory({ closed, calls, log })
  const { made, requests } = story
  for (const line of wrong) log(line)
  console.log(
    `${made.length - new Set(wrong.map((line) => line.split(' ')[0])).size} of ${made.length} calls landed; ` +
      `${requests.length} requests`,
  )
  failed ||= wrong.length > 0
  if (wrong.length === 0) {
    const { versions } = await clientPackages()
    await writeFile(join(RECORDINGS, `${name}.json`), written({ versions, ...story }, folder))
  }
}
if (isWanted('abilities')) {
  console.log('what each client can do')
  const found: Record<string, Abilities> = {}
  for (const client of [claudeCode, codex, opencode, gemini, qwen]) {
    found[client.name] = await abilitiesOf(client, log)
    log(`${client.name}: ${JSON.stringify(found[client.name])}`)
  }
  found['inspector'] = await abilitiesOfInspector(log)
  const { versions } = await clientPackages()
  await writeFile(ABILITIES, `${JSON.stringify({ versions, clients: found }, null, 2)}\n`)
}
process.exit(failed ? 1 : 0)
