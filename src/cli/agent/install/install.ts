/** Puts hooks, tools and skills into the clients of this machine, and keeps them current. */
import { loadClient } from '../../../config/client.ts'
import { invalid, Refusal } from '../../../kernel/refusal.ts'
import { openTools } from '../../client/tools.ts'
import type { AgentCall } from '../../command.ts'
import { claudeHooks, codexHooks } from './clients.ts'
import { putHooks, type Entry } from './entries.ts'
import { readObject, writeObject } from './file.ts'
import { type ClientName, clientNames } from './names.ts'
import { type Places, placesOf, skillsOf } from './places.ts'
import { registerWithClaude, registerWithCodex, registerWithDesktop } from './register.ts'
import { putSkills } from './skills.ts'
import { findWay, type Way } from './way.ts'

type Asked = { [Place in keyof Places]: string | undefined } & {
  client: string
  url: string | undefined
  mcp: boolean
  skills: boolean
}

/** What one client gets. */
interface Parts {
  way: Way
  places: Places
  mcp: boolean
  /** Whether research is on; undefined: skills stay as they are. */
  research: boolean | undefined
}

/** Puts everything in; run again, it changes only what is not current. */
export async function install(asked: Asked, call: AgentCall): Promise<void> {
  const names = await clientNames(asked.client, call)
  if (!asked.mcp && names.every((name) => name === 'claude-desktop')) {
    throw invalid('the desktop app has no hooks: with --no-mcp there is nothing to install')
  }
  const way = await findWay(call, { config: call.config, url: asked.url })
  const research = asked.skills ? await researchIsOn(way, call) : undefined
  const parts = { way, places: placesOf(asked, call), mcp: asked.mcp, research }
  for (const name of names) {
    call.say(`${name}:`)
    for await (const line of installInto(name, parts, call)) call.say(`  ${line}`)
  }
}

async function* installInto(
  name: ClientName,
  { way, places, mcp, research }: Parts,
  call: AgentCall,
): AsyncGenerator<string> {
  if (name === 'claude-desktop') {
    if (mcp) yield registerWithDesktop(places.desktopConfig, way)
    return
  }
  if (name === 'claude') {
    yield* put(places.settings, claudeHooks(way), { secret: true })
    if (mcp) yield registerWithClaude(way, call.env)
  } else {
    yield* put(places.codexHooks, codexHooks(way), { secret: false })
    yield 'Codex runs a hook only after you have trusted it: open /hooks in Codex once'
    if (mcp) yield registerWithCodex(way, call.env)
  }
  if (research === undefined) return
  try {
    yield* await putSkills(skillsOf(name, call), { research })
  } catch (error) {
    yield `skills: not installed (${(error as Error).message})`
  }
}

async function* put(
  path: string,
  wanted: Record<string, Entry>,
  how: { secret: boolean },
): AsyncGenerator<string> {
  const { settings, outcomes } = putHooks(await readObject(path), wanted)
  await writeObject(path, settings, how)
  yield path
  for (const [event, outcome] of Object.entries(outcomes)) yield `${event}: ${outcome}`
}

/** Asks the service itself. Undefined when it does not answer: skills then stay as they are. */
async function researchIsOn(way: Way, { env, cwd, say }: AgentCall): Promise<boolean | undefined> {
  try {
    await using tools = await openTools(await loadClient({ env, cwd, file: way.config }))
    return (await tools.list()).includes('lab_open')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(`skills: left as they are, since ${error.message}`)
    return undefined
  }
}
