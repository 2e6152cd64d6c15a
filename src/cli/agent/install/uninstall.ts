import type { AgentCall } from '../../command.ts'
import { type Settings, takeHooks } from './entries.ts'
import { readObject, writeObject } from './file.ts'
import { type ClientName, clientNames } from './names.ts'
import { type Places, placesOf, skillsOf } from './places.ts'
import { unregister, unregisterFromDesktop } from './register.ts'
import { takeSkills } from './skills.ts'

type Asked = { [Place in keyof Places]: string | undefined } & {
  client: string
  dryRun: true | undefined
  mcp: boolean
}

/** Takes out what was put in. What others wrote stays, and so do the store and its configuration. */
export async function uninstall(asked: Asked, call: AgentCall): Promise<void> {
  const places = placesOf(asked, call)
  for (const name of await clientNames(asked.client, call)) {
    call.say(`${name}:`)
    const lines = asked.dryRun
      ? preview(name, places, asked.mcp)
      : takeFrom(name, places, asked.mcp, call)
    for await (const line of lines) call.say(`  ${line}`)
  }
}

async function* preview(name: ClientName, places: Places, mcp: boolean): AsyncGenerator<string> {
  const path = hooksFile(name, places)
  const { events } = path ? takeHooks(await readObject(path)) : { events: [] }
  yield `would remove: ${[...events, ...(mcp ? ['mcp'] : []), 'skills'].join(', ')}`
}

async function* takeFrom(
  name: ClientName,
  places: Places,
  mcp: boolean,
  call: AgentCall,
): AsyncGenerator<string> {
  const path = hooksFile(name, places)
  if (name === 'claude-desktop' || path === undefined) {
    if (mcp) yield unregisterFromDesktop(places.desktopConfig)
    return
  }
  yield `hooks: ${(await take(path)).join(', ') || 'none'}`
  if (mcp) yield unregister(name, call.env)
  yield* await takeSkills(skillsOf(name, call))
}

/** The desktop app has no hooks. */
const hooksFile = (name: ClientName, { settings, codexHooks }: Places): string | undefined =>
  ({ claude: settings, codex: codexHooks, 'claude-desktop': undefined })[name]

async function take(path: string): Promise<string[]> {
  const before: Settings = await readObject(path)
  const { settings, events } = takeHooks(before)
  if (events.length > 0) await writeObject(path, settings)
  return events
}
