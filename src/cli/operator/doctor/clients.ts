/** The clients of this machine: what is installed into each, whether it is whole, and when it was heard. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Environment } from '../../../config.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import type { ClientKind, Where } from '../../agent/install/client.ts'
import { readIfThere } from '../../agent/install/edit/file.ts'
import type { Sheet } from '../../agent/install/edit/parts.ts'
import { lookAt } from '../../agent/install/edit/sheet.ts'
import { tomlOf } from '../../agent/install/edit/toml.ts'
import { detect } from '../../agent/install/names.ts'
import { skillsIn } from '../../agent/install/skills.ts'
import { commandOf, type Way } from '../../agent/install/way.ts'
import { type Check, fail, info, ok, refusal, warn } from './check.ts'
import type { Heard } from './heard.ts'

interface Sources {
  where: Where
  /** The address of the service. */
  url: string
  config: string
  /** Undefined: the store is not here, or nobody has it open. */
  heard: Heard[] | undefined
}

export async function* checkClients(sources: Sources): AsyncGenerator<Check> {
  for (const client of await detect(sources.where)) {
    const { name } = client
    const found = await look(client, sources).catch(refusal)
    if (found instanceof Refusal) {
      yield fail(name, found.message)
      continue
    }
    const version = await versionOf(client, sources.where.env)
    if (version) yield info(name, version)
    if (found.outcomes.every(([, , outcome]) => outcome === 'added')) {
      yield info(name, `not installed: loam install-hooks --client ${name}`)
      continue
    }
    const problems = problemsOf(found)
    for (const problem of problems) yield warn(name, problem)
    if (problems.length === 0) yield ok(name, 'hooks and tools are as they should be')
    if (found.literal) yield fail(name, `${found.literal} holds a key in plain text; ${AGAIN}`)
    yield* permission(client, found, sources)
    yield* trust(client, sources.where)
    yield* skills(client, sources.where)
    yield* lastHeard(client, sources.heard)
  }
}

const AGAIN = 'loam install-hooks mends it'

interface Found {
  way: Way
  sheets: Sheet[]
  /** File, part, and what an installation would do to it. */
  outcomes: [string, string, string][]
  /** Programs of ours, their Node and their configuration, as the files name them. */
  named: string[]
  current: string[]
  /** A file that holds a key. */
  literal: string | undefined
}

/** A program of ours, behind the Node that starts it, in one line or as a command with its arguments. */
const NAMED =
  /(?:(\/[^'"\s]+)['",\s]+(?:args['"]?\s*[:=]\s*\[\s*['"])?)?(\/[^'"\s]+\/loam(?:-hook)?\.mjs)/g

async function look(client: ClientKind, { where, url, config }: Sources): Promise<Found> {
  const wish = { allow: false, elsewhere: {} }
  const plain = client.sheets({ url, config }, where, wish)
  const texts = await Promise.all(plain.map(({ path }) => readIfThere(path)))
  const all = texts.join('\n')
  // An installation may have been made with a configuration of its own.
  const [, used = config] = /--config['",\s]+(\/?[^'",\s]+)/.exec(all) ?? []
  const way = { url, config: used }
  const sheets = client.sheets(way, where, wish)
  const outcomes: Found['outcomes'] = []
  for (const sheet of sheets) {
    const parts = sheet.parts.filter((part) => part.kind === 'seed' || part.about !== 'permission')
    for (const [part, outcome] of Object.entries(await lookAt({ ...sheet, parts })))
      outcomes.push([sheet.path, part, outcome])
  }
  const [node, quick] = commandOf(way, ['hook'], client.service)
  const [, program] = commandOf(way, ['bridge'], client.service)
  const named = [...all.matchAll(NAMED)]
  const keyed = texts.findIndex((text) => holdsKey(text ?? '', url))
  return {
    way,
    sheets,
    outcomes,
    named: [
      ...new Set(named.flatMap(([, by, at]) => [by, at]).filter((path) => path !== undefined)),
      used,
    ],
    current: [node!, quick!, program!, used],
    literal: sheets[keyed]?.path,
  }
}

/** Beside our own address, a key that is no name of a variable. */
function holdsKey(text: string, url: string): boolean {
  const places = [...text.matchAll(/\/api\/(?:hooks\/[a-z-]+|mcp)"/g)]
  return places.some(
    ({ index }) =>
      text.slice(0, index).endsWith(url) &&
      /^[^{}]*(?:\{[^{}]*)?Bearer (?!\$)[^"\s]/.test(text.slice(index)),
  )
}

function problemsOf({ outcomes, named, current }: Found): string[] {
  const parts = (wanted: (outcome: string) => boolean): string =>
    outcomes.flatMap(([, part, outcome]) => (wanted(outcome) ? [part] : [])).join(', ')
  const gone = named.filter((path) => !existsSync(path))
  const moved = named.filter((path) => !current.includes(path) && !gone.includes(path))
  const [missing, changed] = [parts((o) => o === 'added'), parts((o) => o === 'updated')]
  const surplus = parts((o) => o === 'removed' || o === 'deduped')
  const others = outcomes.filter(([, , outcome]) => outcome.startsWith('another'))
  return [
    ...gone.map((path) => `it names ${path}, which is gone; ${AGAIN}`),
    ...moved.map((path) => `it names ${path}, and not this program; ${AGAIN}`),
    ...(missing ? [`missing: ${missing}; ${AGAIN}`] : []),
    ...(changed && gone.length + moved.length === 0
      ? [`changed by somebody or by another release: ${changed}; ${AGAIN}`]
      : []),
    ...(surplus ? [`there twice, or not wanted: ${surplus}; ${AGAIN}`] : []),
    ...others.map(([path]) => `${path} has something else under our name`),
  ]
}

/** Whether the tools may be used without a question, where a file says so. */
async function* permission(
  client: ClientKind,
  { way, sheets }: Found,
  { where }: Sources,
): AsyncGenerator<Check> {
  const granted = client.sheets(way, where, { allow: true, elsewhere: {} })
  const says = (all: Sheet[]): string =>
    JSON.stringify(all.map(({ parts }) => parts.filter((part) => part.kind === 'member')))
  const isReadable =
    says(granted) !== says(sheets) ||
    granted.some(({ parts }) =>
      parts.some((part) => part.kind !== 'seed' && part.about === 'permission'),
    )
  if (!isReadable) return
  const outcomes = await Promise.all(
    granted.map(async (sheet) => {
      const parts = sheet.parts.filter((part) => part.kind !== 'seed' && part.about !== undefined)
      return Object.values(await lookAt({ ...sheet, parts }))
    }),
  )
  if (outcomes.flat().every((outcome) => outcome === 'unchanged'))
    yield ok(client.name, 'its tools are allowed without a question')
  else
    yield info(client.name, `it asks before our tools, or refuses them unattended: ${client.grant}`)
}

/** Codex keeps what its user has trusted; whether that is what stands there now, only Codex says. */
async function* trust({ name, sheets }: ClientKind, where: Where): AsyncGenerator<Check> {
  if (name !== 'codex') return
  const [hooks, config] = sheets({ url: '', config: '' }, where, { allow: false, elsewhere: {} })
  const { hooks: { state = {} } = {} } = tomlOf((await readIfThere(config!.path)) ?? '') as {
    hooks?: { state?: Record<string, unknown> }
  }
  const trusted = Object.keys(state).filter((key) => key.startsWith(`${hooks!.path}:`))
  if (trusted.length > 0)
    yield info(name, `${trusted.length} hooks were trusted; whether as they are now, /hooks shows`)
  else yield warn(name, 'no hook was ever trusted, so none runs: open /hooks in Codex once')
}

async function* skills({ name, skills: folder }: ClientKind, where: Where): AsyncGenerator<Check> {
  if (!folder) return
  for (const [skill, outcome] of await skillsIn(folder(where))) {
    if (outcome === 'unchanged') yield ok(name, `skill ${skill}`)
    else if (outcome === 'updated')
      yield warn(name, `skill ${skill} is of another release; ${AGAIN}`)
  }
}

function* lastHeard({ name, service }: ClientKind, heard: Heard[] | undefined): Generator<Check> {
  if (!heard) return
  const ours = heard.filter(({ client }) => client === service)
  if (ours.length === 0) yield info(name, 'none of its hooks was ever heard')
  else yield info(name, `last heard: ${ours.map(({ hook, at }) => `${hook} ${at}`).join(', ')}`)
}

const run = promisify(execFile)

/** What the client says of itself; nothing when it cannot be asked within three seconds. */
async function versionOf({ program }: ClientKind, env: Environment): Promise<string | undefined> {
  const at = (env['PATH'] ?? '').split(':').map((folder) => join(folder, program ?? ''))
  const path = program && at.find((each) => existsSync(each))
  if (!path) return undefined
  const asked = run(path, ['--version'], { timeout: 3_000, env })
  asked.child.stdin?.end()
  return asked.then(
    ({ stdout }) => stdout.trim().split('\n', 1)[0]?.slice(0, 80),
    () => undefined,
  )
}
