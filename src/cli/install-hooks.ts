/** Hooks, tools and skills in the clients of this machine: put in, kept current, taken out again. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { loadClient } from '../config/client.ts'
import { invalid, Refusal } from '../kernel/refusal.ts'
import * as clients from './install/clients.ts'
import { putHooks, takeHooks, type Entry, type Settings } from './install/entries.ts'
import { readObject, writeObject } from './install/file.ts'
import * as register from './install/register.ts'
import { putSkills, takeSkills } from './install/skills.ts'
import { findWay, type Way } from './install/way.ts'
import { openTools } from './mcp-client.ts'

const CLIENTS = ['claude', 'codex', 'claude-desktop'] as const
type ClientName = (typeof CLIENTS)[number]

const ALIASES: Record<string, readonly ClientName[]> = {
  cc: ['claude'],
  cx: ['codex'],
  desktop: ['claude-desktop'],
  both: ['claude', 'codex'],
  all: CLIENTS,
}

/** Where each client's settings lie; a test or an unusual installation says so. */
interface Places {
  settings?: string
  codexHooks?: string
  desktopConfig?: string
}

export interface InstallOptions extends Places {
  client: string
  config?: string
  url?: string
  mcp: boolean
  skills: boolean
}

type Say = (line: string) => void

/** Puts everything in; run again, it changes only what is not current. */
export async function installHooks(options: InstallOptions, say: Say = console.log): Promise<void> {
  const names = await asked(options.client)
  if (!options.mcp && names.every((name) => name === 'claude-desktop')) {
    throw invalid('the desktop app has no hooks: with --no-mcp there is nothing to install')
  }
  const way = await findWay(options)
  const research = options.skills ? await researchIsOn(way, say) : undefined
  for (const name of names) {
    say(`${name}:`)
    for await (const line of install(name, way, options, research)) say(`  ${line}`)
  }
}

async function* install(
  name: ClientName,
  way: Way,
  options: InstallOptions,
  research: boolean | undefined,
): AsyncGenerator<string> {
  const places = placesOf(options)
  if (name === 'claude-desktop') {
    if (options.mcp) yield register.registerWithDesktop(places.desktopConfig, way)
    return
  }
  if (name === 'claude') {
    yield* put(places.settings, clients.claudeHooks(way), { secret: true })
    if (options.mcp) yield register.registerWithClaude(way)
  } else {
    yield* put(places.codexHooks, clients.codexHooks(way), { secret: false })
    yield 'Codex runs a hook only after you have trusted it: open /hooks in Codex once'
    if (options.mcp) yield register.registerWithCodex(way)
  }
  if (research === undefined) return
  try {
    yield* await putSkills(skillsOf(name), { research })
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

export interface UninstallOptions extends Places {
  client: string
  dryRun?: true
  mcp: boolean
}

/** Takes out what was put in. What others wrote stays, and so do the store and its configuration. */
export async function uninstall(options: UninstallOptions, say: Say = console.log): Promise<void> {
  const places = placesOf(options)
  for (const name of await asked(options.client)) {
    say(`${name}:`)
    const path = name === 'claude' ? places.settings : places.codexHooks
    if (options.dryRun) {
      const { events } =
        name === 'claude-desktop' ? { events: [] } : takeHooks(await readObject(path))
      say(`  would remove: ${[...events, ...(options.mcp ? ['mcp'] : []), 'skills'].join(', ')}`)
      continue
    }
    if (name === 'claude-desktop') {
      if (options.mcp) say(`  ${await register.unregisterFromDesktop(places.desktopConfig)}`)
      continue
    }
    say(`  hooks: ${(await take(path)).join(', ') || 'none'}`)
    if (options.mcp) say(`  ${await register.unregister(name)}`)
    for (const line of await takeSkills(skillsOf(name))) say(`  ${line}`)
  }
}

async function take(path: string): Promise<string[]> {
  const before: Settings = await readObject(path)
  const { settings, events } = takeHooks(before)
  if (events.length > 0) await writeObject(path, settings)
  return events
}

const placesOf = (options: Places): Required<Places> => ({
  settings: options.settings ?? clients.claudeSettings(),
  codexHooks: options.codexHooks ?? clients.codexHooksFile(),
  desktopConfig: options.desktopConfig ?? clients.desktopConfig(),
})

const skillsOf = (name: 'claude' | 'codex'): string =>
  name === 'claude'
    ? join(clients.claudeSettings(), '..', 'skills')
    : join(clients.codexHome(), 'skills')

/** The clients that were named, or those that stand on this machine. */
async function asked(text: string): Promise<ClientName[]> {
  if (text === 'detect') {
    const found = await detect()
    if (found.length > 0) return found
    throw invalid(
      'no client found on this machine; name one with --client claude or --client codex',
    )
  }
  const names = text.split(',').flatMap((word) => {
    const name = word.trim()
    const meant = ALIASES[name] ?? CLIENTS.filter((each) => each === name)
    if (meant.length > 0) return meant
    const known = [...CLIENTS, ...Object.keys(ALIASES), 'detect'].join(', ')
    throw invalid(`no client "${name.slice(0, 100)}"; there are ${known}`)
  })
  return [...new Set(names)]
}

/** The desktop app is changed only when it is asked for. */
async function detect(): Promise<ClientName[]> {
  const there = (path: string): Promise<boolean> =>
    stat(path).then(
      () => true,
      () => false,
    )
  const found: ClientName[] = []
  if ((await there(join(clients.claudeSettings(), '..'))) || (await register.onPath('claude')))
    found.push('claude')
  if ((await there(clients.codexHome())) || (await register.onPath('codex'))) found.push('codex')
  return found
}

/** Asked of the service itself; undefined, and skills stay as they are, when it does not answer. */
async function researchIsOn(way: Way, say: Say): Promise<boolean | undefined> {
  try {
    await using tools = await openTools(await loadClient({ file: way.config }))
    return (await tools.list()).includes('lab_open')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(`skills: left as they are, since ${error.message}`)
    return undefined
  }
}
