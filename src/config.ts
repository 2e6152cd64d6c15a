/**
 * The configuration: defaults, then one YAML file, then the environment.
 *
 * Nothing else reads process.env or a configuration file. It is strict: the
 * service does not start with an unknown key or a bad value, and names it with the allowed values.
 */
import { dirname, resolve } from 'node:path'
import type { TObject, TSchema } from 'typebox'
import { expandHome, findConfigFile, readYaml } from './config/file.ts'
import {
  allowedBy,
  type Form,
  hasForm,
  isLoopback,
  isSendable,
  splitAddress,
} from './config/forms.ts'
import { homeIn, workingDirectory } from './kernel/whereabouts.ts'
import { type Config, CONFIG } from './config/schema.ts'
import { suggest } from './kernel/suggest.ts'
import { invalid } from './kernel/refusal.ts'
import { fits } from './kernel/schema/fits.ts'
import { maskAddress } from './text/secrets.ts'

export type { Config } from './config/schema.ts'

/** Variables that are no keys: of the file, the client, the compose file, the tests. */
const OTHER_VARIABLES =
  /^LOAM_(?:CONFIG|URL|FAILPOINT|DB_PASSWORD|PG_\w+|TEST_\w+|BENCH_\w+|CI_\w+)$/
const MIN_KEY_CHARS = 22

export interface Environment {
  [name: string]: string | undefined
}

/** Where the value of a key comes from: the defaults, the file, or a variable or an option of the start, by its name. */
export type Origin = 'default' | 'file' | { variable: string } | { option: string }

export interface Settings {
  config: Config
  /** By the path of the key: `search.semantic_floor`. */
  origins: ReadonlyMap<string, Origin>
  /** The file that was read, if there was one. */
  file: string | undefined
  /** Where a key was configured, even an empty one. Undefined: the key is in `<data_dir>/api-key`. */
  keyFrom: string | undefined
  /** The point where a fault run stops the process; empty in production. */
  failpoint: string
}

/** A schema with the notes of schema.ts on each key. */
type Key = TSchema & {
  type?: string
  properties?: Record<string, Key>
  patternProperties?: object
  description?: string
  enum?: readonly string[]
  default?: unknown
  form?: Form
  secret?: boolean
}

/** The sources of values, and the problems found in them. */
interface Sources {
  env: Environment
  file: string
  problems: string[]
  origins: Map<string, Origin>
  /** What a variable is really called, where another one is read in its place. */
  called: Record<string, string>
}

/** Reads every layer. Throws one Refusal with a line for each problem. */
export async function loadConfig(
  from: {
    env?: Environment
    cwd?: string
    /** The file to read; null: none. Without it the file is searched. */
    file?: string | null | undefined
    /** Overrides the environment and the file. */
    addr?: string | undefined
  } = {},
): Promise<Settings> {
  const { env: given = process.env, cwd = workingDirectory(), addr } = from
  const env = addr === undefined ? given : { ...given, LOAM_ADDR: addr }
  const home = homeIn(env)
  const file =
    from.file === null
      ? undefined
      : await findConfigFile(from.file ?? env['LOAM_CONFIG'], cwd, home)
  const written = file ? await readYaml(file) : {}
  const origins = new Map<string, Origin>()
  const sources: Sources = {
    env: withDatabaseUrl(env),
    file: file ?? '',
    problems: [],
    origins,
    called: env['LOAM_DATABASE_URL'] ? {} : { LOAM_DATABASE_URL: 'DATABASE_URL' },
  }

  checkVariables(env, sources.problems)
  const config = layered(CONFIG, [], written, sources) as Config
  const { problems } = sources
  const keyFrom =
    env['LOAM_MCP_API_KEY'] !== undefined
      ? 'the environment variable LOAM_MCP_API_KEY'
      : has(written, ['mcp', 'api_key'])
        ? `mcp.api_key in ${file}`
        : undefined
  if (problems.length === 0) problems.push(...conflicts(config))
  if (problems.length > 0) throw invalid(problems.join('\n'))

  const base = !env['LOAM_DATA_DIR'] && file ? dirname(file) : cwd
  config.data_dir = resolve(base, expandHome(config.data_dir, home))
  if (config.capture.allowed_ports.length === 0) config.capture.allowed_ports = [80, 443]
  if (addr !== undefined) origins.set('addr', { option: '--addr' })
  return { config, origins, file, keyFrom, failpoint: env['LOAM_FAILPOINT'] ?? '' }
}

/** Returns the address for other machines, without a slash at its end. */
export function publicUrl(config: Pick<Config, 'addr' | 'base_url'>): string {
  if (config.base_url) return config.base_url.replace(/\/+$/, '')
  const { host, port } = splitAddress(config.addr)
  const everywhere = host === '0.0.0.0' || host === '[::]'
  return `http://${everywhere ? '127.0.0.1' : host}:${port}`
}

/** Returns whether only this machine can reach the service. */
export function isLocal(config: Pick<Config, 'addr' | 'base_url'>): boolean {
  const hosts = [splitAddress(config.addr).host]
  if (config.base_url) hosts.push(new URL(config.base_url).hostname)
  return hosts.every(isLoopback)
}

/** Returns why the key cannot guard this service, or null when it can. An empty key admits nobody. */
export function keyProblem(key: string, config: Pick<Config, 'addr' | 'base_url'>): string | null {
  if (key !== '' && !isSendable(key))
    return 'mcp.api_key: only visible ASCII characters are allowed (the value is not shown)'
  if (key === '' || key.length >= MIN_KEY_CHARS || isLocal(config)) return null
  return `mcp.api_key: has ${key.length} characters; at least ${MIN_KEY_CHARS} are needed when addr or base_url is not loopback (the value is not shown)`
}

/** `search.semantic_floor` → `LOAM_SEARCH_SEMANTIC_FLOOR`. */
export const variableOf = (path: readonly string[]): string =>
  `LOAM_${path.join('_').toUpperCase()}`

/** Yields every key of the schema that holds a value, in the order of the schema. */
export function* keysOf(schema: TSchema, path: string[] = []): Generator<[string[], Key]> {
  for (const [name, key] of Object.entries((schema as Key).properties ?? {})) {
    if (key.properties) yield* keysOf(key, [...path, name])
    else yield [[...path, name], key]
  }
}

/** Returns the allowed values of a key, in words. */
export function allowed(key: Key): string {
  if (key.form) return allowedBy(key.form)
  if (key.enum) return `one of ${key.enum.join(', ')}`
  const { minimum, maximum, exclusiveMinimum } = key as { [limit: string]: unknown }
  const from = exclusiveMinimum === undefined ? `from ${minimum}` : `above ${exclusiveMinimum},`
  if (key.type === 'integer') return `a whole number ${from} to ${maximum}`
  if (key.type === 'number') return `a number ${from} up to ${maximum}`
  return key.type === 'boolean' ? 'true or false' : 'a text'
}

/** Returns the value at the path: of the variable, else the file, else the default. Collects problems. */
function layered(key: Key, path: string[], written: unknown, sources: Sources): unknown {
  const { env, file, problems, origins, called } = sources
  const name = path.join('.')
  if (written === null) {
    problems.push(`${file}: ${name} has no value; give it one (${allowed(key)}) or leave it out`)
    return undefined
  }
  if (key.properties) return section(key as TObject, path, written, sources)

  const variable = variableOf(path)
  const sent = env[variable]
  if (sent !== undefined && (sent !== '' || name === 'mcp.api_key')) {
    const value = fromText(key, sent)
    const source = called[variable] ?? variable
    if (!isAllowed(key, value)) problems.push(complaint(source, '', key, sent) + hintFor(source))
    origins.set(name, { variable: source })
    return value
  }
  origins.set(name, written === undefined ? 'default' : 'file')
  if (written === undefined) return structuredClone(key.default)
  if (!isAllowed(key, written)) problems.push(complaint(file, name, key, written))
  return written
}

function section(key: TObject, path: string[], written: unknown, sources: Sources): unknown {
  const { file, problems } = sources
  const known = Object.keys(key.properties)
  if (written !== undefined && (typeof written !== 'object' || Array.isArray(written))) {
    problems.push(`${file}: ${path.join('.')} must hold keys (${known.join(', ')})`)
    return undefined
  }
  for (const name of Object.keys(written ?? {})) {
    if (known.includes(name)) continue
    const near = suggest(name, known)
    const hint = near
      ? `did you mean "${[...path, near].join('.')}"?`
      : `known: ${known.join(', ')}`
    problems.push(`${file}: unknown key "${[...path, name].join('.')}"; ${hint}`)
  }
  const values = (written ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(key.properties).map(([name, below]) => [
      name,
      layered(
        below,
        [...path, name],
        Object.hasOwn(values, name) ? values[name] : undefined,
        sources,
      ),
    ]),
  )
}

const isAllowed = (key: Key, value: unknown): boolean =>
  fits(key, value) && (!key.form || hasForm(key.form, value))

/** Returns the text of a variable as the type of its key, or the text itself when it does not fit. */
function fromText(key: Key, sent: string): unknown {
  const text = sent.trim()
  if (key.type === 'boolean')
    return { true: true, '1': true, false: false, '0': false }[text] ?? sent
  const number = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : sent
  if (key.type === 'integer' || key.type === 'number') return number
  if (key.type !== 'array') return sent
  const items = text.split(',').map((item) => item.trim())
  const { items: item } = key as { items?: Key }
  return items.map((each) => fromText(item ?? key, each))
}

function complaint(where: string, name: string, key: Key, value: unknown): string {
  const subject = name ? `${where}: ${name}` : where
  if (key.patternProperties && !name) return `${subject}: can only be set in the configuration file`
  const shown = key.secret ? 'the value, which is not shown,' : masked(key, JSON.stringify(value))
  return `${subject}: ${shown} is not allowed; it must be ${allowed(key)}`
}

const hintFor = (variable: string): string =>
  variable === 'DATABASE_URL' ? '; if it is meant for another program, start Loam without it' : ''

/** Returns at most one line, without what may be a secret in an address. */
function masked({ form }: Key, json: string): string {
  const isAddress = form === 'url' || form === 'service'
  const safe = isAddress ? maskAddress(json) : json.replaceAll(/:\/\/[^\s"]*@/g, '://…@')
  return safe.length > 120 ? `${safe.slice(0, 120)}…` : safe
}

function checkVariables(env: Environment, problems: string[]): void {
  const known = [...keysOf(CONFIG)].map(([path]) => variableOf(path))
  for (const name of Object.keys(env)) {
    if (!name.startsWith('LOAM_') || known.includes(name) || OTHER_VARIABLES.test(name)) continue
    const near = suggest(name, known)
    const hint = near ? `did you mean ${near}?` : 'docs/configuration.md lists all of them'
    problems.push(`${name}: no such environment variable; ${hint}`)
  }
}

/** Most hosts call the address of a database DATABASE_URL. It counts where ours is not set. */
const withDatabaseUrl = (env: Environment): Environment => ({
  ...env,
  LOAM_DATABASE_URL: env['LOAM_DATABASE_URL'] || env['DATABASE_URL'],
})

/** Returns the problems of keys that do not fit together. */
function conflicts(config: Config): string[] {
  const { sessions, database } = config
  const found = [keyProblem(config.mcp.api_key, config)]
  if (sessions.expire_minutes <= sessions.idle_minutes)
    found.push(
      `sessions.expire_minutes: ${sessions.expire_minutes} is not allowed; it must be more than sessions.idle_minutes (${sessions.idle_minutes})`,
    )
  if (database.listen_url && !database.url)
    found.push('database.listen_url: needs database.url beside it')
  return found.filter((problem) => problem !== null)
}

/** Returns whether the file holds the path. */
function has(written: unknown, [name = '', ...rest]: readonly string[]): boolean {
  if (typeof written !== 'object' || written === null || !Object.hasOwn(written, name)) return false
  return rest.length === 0 || has((written as Record<string, unknown>)[name], rest)
}
