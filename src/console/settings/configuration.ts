/** The running configuration: every key with its value and where that comes from. No secret is shown. */
import { keysOf, type Origin } from '../../config.ts'
import { CONFIG } from '../../config/schema.ts'
import { keyFile } from '../../config/key-file.ts'
import { maskAddress, maskSecrets } from '../../text/secrets.ts'
import type { ScreenApp } from '../screen.ts'

/** Of a value: the defaults, the configuration file, the start of the process, or what was saved here. */
export type Source = 'default' | 'file' | 'environment' | 'option' | 'console' | 'key file'

export interface ConfiguredKey {
  /** `search.semantic_floor`. */
  key: string
  /** As text; of a secret only whether there is one. */
  value: string
  source: Source
  /** The variable, the option or the file that says it; '' for a default. */
  by: string
  /** What it would be if nobody said anything. */
  default: string
  about: string
}

type Values = Readonly<Record<string, unknown>>

/** Every key in the order of the schema. `over` holds what is stored over the configuration, by key. */
export function configurationOf(app: ScreenApp, over: Values): ConfiguredKey[] {
  return [...keysOf(CONFIG)].map(([path, about]) => {
    const { description = '', default: usual, secret = false, form } = about
    const key = path.join('.')
    const value = Object.hasOwn(over, key) ? over[key] : valueAt(app.kernel.config, path)
    const { source, by } = Object.hasOwn(over, key)
      ? { source: 'console' as const, by: '' }
      : originOf(app, key)
    return {
      key,
      value: secret
        ? hidden(key, value)
        : form === 'url'
          ? maskAddress(shown(value))
          : maskSecrets(shown(value)),
      source,
      by,
      default: secret ? '' : shown(usual),
      about: description,
    }
  })
}

/** Where the value of a key comes from, when nothing is stored over it. */
export const sourceOf = (app: ScreenApp, key: string): Source => originOf(app, key).source

function originOf({ service, kernel }: ScreenApp, key: string): { source: Source; by: string } {
  const { origins, file = '' } = service.configured
  const origin: Origin = origins?.get(key) ?? 'default'
  if (typeof origin === 'object') {
    return 'variable' in origin
      ? { source: 'environment', by: origin.variable }
      : { source: 'option', by: origin.option }
  }
  if (origin === 'file') return { source: 'file', by: file }
  if (key === 'mcp.api_key' && kernel.config.mcp.api_key !== '')
    return { source: 'key file', by: keyFile(kernel.config) }
  return { source: 'default', by: '' }
}

const valueAt = (values: unknown, path: readonly string[]): unknown =>
  path.reduce((value, name) => (value as Values)[name], values)

function shown(value: unknown): string {
  if (value === '' || value === undefined) return ''
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    return entries.map(([name, one]) => `${name} → ${[one].flat().join(', ')}`).join('; ')
  }
  return String(value)
}

/** A secret is set or not. Of a database its place is told, without user, password and parameters. */
function hidden(key: string, value: unknown): string {
  if (value === '') return ''
  return key.startsWith('database.') ? placeOf(String(value)) : 'set'
}

/** `host:5432/name` of the address of a database. */
export function placeOf(address: string): string {
  const url = URL.parse(address)
  if (!url) return 'set'
  const socket = url.searchParams.get('host') ?? ''
  const at = url.hostname === '' ? socket : `${url.hostname}:${url.port || 5432}`
  return `${at}${url.pathname}`
}
