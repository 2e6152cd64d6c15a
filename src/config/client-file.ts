/** The file that leads to a service: its address, its key, and on its own machine its store. */
import { mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseDocument, stringify } from 'yaml'
import { invalid } from '../kernel/refusal.ts'
import { STORE_MARK } from '../kernel/store-mark.ts'
import { unusable } from '../kernel/trouble.ts'
import { expandHome, readYaml } from './file.ts'
import { hasForm } from './forms.ts'
import { homeIn } from '../kernel/whereabouts.ts'
import { makeFile, replaceFile } from './whole-file.ts'

export interface ClientFile {
  url?: string
  key_file?: string
  /** The store of the service; absent when it lies on another machine. */
  data_dir?: string
  /** The configuration file that the service was started with. */
  config?: string
}

/** Keys that a service's own configuration does not have. */
const TELLING = ['url', 'key_file']
const PATHS = ['key_file', 'data_dir', 'config'] as const
const KEYS = ['url', ...PATHS]

export const clientFile = (home: string): string => join(home, '.config/loam/client.yaml')

/** The same beside the data: every start of a service writes it. */
export const ownClientFile = (dataDir: string): string => join(dataDir, 'client.yaml')

/** Whether the content is that of a client file, and not the configuration of a service. */
export const leadsToService = (written: object): boolean =>
  TELLING.some((name) => Object.hasOwn(written, name))

/** Returns the content with whole paths. Refuses what is not allowed in such a file. */
export function asClientFile(written: object, path: string, home: string): ClientFile {
  const stray = Object.keys(written).find((name) => !KEYS.includes(name))
  if (stray) throw invalid(`${path}: unknown key "${stray}"; known: ${KEYS.join(', ')}`)
  const { url } = written as { url?: unknown }
  if (url !== undefined && !(typeof url === 'string' && hasForm('url', url)))
    throw invalid(`${path}: url must be an http:// or https:// address`)
  const found: ClientFile = url === undefined ? {} : { url }
  for (const name of PATHS) {
    const value = (written as Record<string, unknown>)[name]
    if (value === undefined) continue
    if (typeof value !== 'string' || value === '')
      throw invalid(
        `${path}: ${name} must be the path of a ${name === 'data_dir' ? 'directory' : 'file'}`,
      )
    found[name] = resolve(dirname(path), expandHome(value, home))
  }
  return found
}

/** The store on this machine that a client file leads to, by its directory; undefined when it lies elsewhere. */
export async function storeOf({ data_dir, key_file }: ClientFile): Promise<string | undefined> {
  // Where a key lies, its store lies as well: a file of an earlier version names only the key.
  if (data_dir !== undefined || !key_file?.endsWith('/api-key')) return data_dir
  return (await exists(join(dirname(key_file), STORE_MARK))) ? dirname(key_file) : undefined
}

/** Whether something stands there. What cannot be looked at does: reading it will say why not. */
export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  )

/**
 * Writes by which file clients find the service, beside its data and for the user, and returns the one
 * to name. It is the user's file if none existed, it already leads to this service, or the store that it leads to
 * was moved here. Another file of the user stays as it is. Nothing of a service depends on these files: it starts
 * without them, as on a full disk, and `complain` hears why.
 */
export async function leaveClientFile(
  home: string,
  dataDir: string,
  client: ClientFile,
  complain: (why: string) => void = () => {},
): Promise<string> {
  const own = ownClientFile(dataDir)
  const left = (await readYaml(own).catch(() => undefined)) as ClientFile | undefined
  const before = left ?? {}
  const usual = clientFile(home)
  // The user of a service may have no home, or one without write access.
  await writeNew(usual, client).catch(() => {})
  const found = (await readYaml(usual).catch(() => ({}))) as ClientFile
  const leadsHere =
    (found.url === client.url && found.key_file === client.key_file) ||
    (await wasMoved(found, { before, client, home }))
  if (leadsHere) await amend(usual, client).catch(() => {})
  // After the user's file: what it says of the time before the move is what tells of one.
  await writeOwn(own, client, left !== undefined).catch((error: NodeJS.ErrnoException) =>
    complain(`${own} cannot be written: ${causeOf(error)}. ${NOT_LED}`),
  )
  return leadsHere ? usual : own
}

const causeOf = (error: NodeJS.ErrnoException): string =>
  unusable(error) ?? `the system says ${error.code}`

const NOT_LED = 'Until a start has written it, LOAM_DATA_DIR leads no client to this service'

/** Makes the file beside the data, or amends it. One that cannot be read leads nobody: it is replaced. */
async function writeOwn(path: string, client: ClientFile, isReadable: boolean): Promise<void> {
  if (await writeNew(path, client)) return
  if (isReadable) await amend(path, client)
  else await replaceFile(path, stringify(client))
}

/** Whether nothing stands any more where a file leads, and its service is this one: by its address, or as it was. */
async function wasMoved(
  found: ClientFile,
  { before, client, home }: { before: ClientFile; client: ClientFile; home: string },
): Promise<boolean> {
  const { data_dir, key_file } = found
  const places = [data_dir, key_file].filter((place) => typeof place === 'string')
  const beside = dirname(clientFile(home))
  const stand = await Promise.all(
    places.map((place) => exists(resolve(beside, expandHome(place, home)))),
  )
  if (places.length === 0 || stand.includes(true)) return false
  const wasHere = data_dir !== undefined && data_dir === before.data_dir
  return found.url === client.url || (wasHere && found.url === before.url)
}

/**
 * Returns the data directory that the client file beside another one names, when both stand and are not the same: the
 * file came along with a copy, and its address leads to the service of the other.
 */
export async function copiedFrom(
  dataDir: string,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined) return undefined
  const [here, there] = await Promise.all(
    [dataDir, named].map((path) => stat(path).catch(() => undefined)),
  )
  const isOther = here && there && (here.ino !== there.ino || here.dev !== there.dev)
  return isOther ? named : undefined
}

/** The file that a client command has to name to reach this service; undefined when the user's leads there. */
export async function fileToName(dataDir: string): Promise<string | undefined> {
  const home = homeIn(process.env)
  const own = ownClientFile(dataDir)
  const [left, found] = await Promise.all(
    [own, clientFile(home)].map((path) => readYaml(path).catch(() => ({}))),
  )
  const [wanted, usual] = [left, found] as [ClientFile, ClientFile]
  if (wanted.url === undefined) return undefined
  return usual.url === wanted.url && usual.key_file === wanted.key_file ? undefined : own
}

/** Writes the file, and never over another one. Returns whether it was written. */
async function writeNew(path: string, client: ClientFile): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return makeFile(path, stringify(client))
}

/** Gives the keys of a file their values; the words of its user beside them stay. */
async function amend(path: string, client: ClientFile): Promise<void> {
  const file = await realpath(path)
  const before = await readFile(file, 'utf8')
  const document = parseDocument(before)
  for (const name of KEYS) {
    const value = client[name as keyof ClientFile]
    if (document.get(name) === value) continue
    if (value === undefined) document.delete(name)
    else document.set(name, value)
  }
  const after = String(document)
  if (after !== before) await replaceFile(file, after)
}
