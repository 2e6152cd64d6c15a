/**
 * The client's side of the configuration, for programs that must start fast: environment, a file of
 * plain lines as `loam serve` leaves it, and the file of the key. Whatever is not as plain as that is left
 * to `config/client.ts`, which knows every case; where this one speaks, both say the same.
 */
import { dirname, join, resolve } from 'node:path'
import type { Client } from '../../config/client.ts'
import type { Environment } from '../../config.ts'
import { fs, textOfFile } from './node.ts'

/** Addresses and paths that YAML reads as they stand. */
const URL_LINE = /^url: (https?:\/\/[\w.-]+(?::\d{1,5})?(?:\/[\w./-]*)?)$/
/** Where the service lies, which matters to the commands of its operator alone. */
const PLACE_LINE = /^(data_dir|config): [~./][\w./\\@+~-]*\w$/
const KEY = /^[\x21-\x7e]+$/
const KEY_LINE = /^key_file: ((?:~\/|\.{0,2}\/|[A-Za-z]:\\)[\w./\\@+~-]*\w)$/

/** Behind "the key is wrong": a key that was replaced stands in its file before the service knows it. */
export const WRONG_KEY =
  'the key is wrong, see "loam key"; after "loam key rotate" the service needs a restart'

/** Returns what the file and the environment say; undefined when it takes the whole reader to know. */
export function plainClient({
  env,
  cwd,
  file,
}: {
  env: Environment
  cwd: string
  file: string | undefined
}): Client | undefined {
  const home = env['HOME']
  const asked = file ?? env['LOAM_CONFIG']
  if (!home || asked === '' || asked?.startsWith('~')) return undefined
  if (asked === undefined && env['LOAM_DATA_DIR']) return undefined
  const path = asked === undefined ? join(home, '.config/loam/client.yaml') : resolve(cwd, asked)
  const isUnconfigured = asked === undefined && !fs.existsSync(path)
  const found = isUnconfigured ? {} : readPlain(path)
  const url = file === undefined ? env['LOAM_URL'] || found?.url : found?.url || env['LOAM_URL']
  if (!found || !url || !URL_LINE.test(`url: ${url}`) || !URL.canParse(url)) return undefined
  const keyFile = found.keyFile?.startsWith('~/')
    ? join(home, found.keyFile.slice(2))
    : found.keyFile
  const read = (): string | undefined =>
    env['LOAM_MCP_API_KEY']?.trim() ?? (keyFile && readKey(resolve(dirname(path), keyFile)))
  const key = read()
  if (!key || !KEY.test(key)) return undefined
  // Read on each call, so that a rotated key applies.
  return { url: url.replace(/\/+$/, ''), key: async () => read() || key }
}

function readPlain(path: string): { url?: string; keyFile?: string } | undefined {
  const found: { url?: string; keyFile?: string } = {}
  const places = new Set<string>()
  for (const line of textOfFile(path)?.split('\n') ?? ['?']) {
    const [, url] = URL_LINE.exec(line) ?? []
    const [, keyFile] = KEY_LINE.exec(line) ?? []
    const [, place] = PLACE_LINE.exec(line) ?? []
    if (url && found.url === undefined) found.url = url
    else if (keyFile && found.keyFile === undefined) found.keyFile = keyFile
    else if (place && !places.has(place)) places.add(place)
    else if (line !== '') return undefined
  }
  return found
}

const readKey = (path: string): string | undefined => textOfFile(path)?.trim()
