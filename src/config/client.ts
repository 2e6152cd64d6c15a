import { randomUUID } from 'node:crypto'
import { link, mkdir, unlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { stringify } from 'yaml'
import type { Environment } from '../config.ts'
import { invalid } from '../kernel/refusal.ts'
import { expandHome, readYaml } from './file.ts'
import { hasForm } from './forms.ts'
import { keyFile, readKey } from './key-file.ts'

/** Where a client command finds the service, and what lets it in. */
export interface Client {
  /** Without a slash at its end. */
  url: string
  /** Read anew on each call, so that a rotated key is taken up. Refuses when there is none. */
  key(): Promise<string>
}

const CLIENT_KEYS = ['url', 'key_file']

/**
 * The client's side of the configuration: --config or LOAM_CONFIG (a client file, or the service's
 * own), else ~/.config/loam/client.yaml. Client commands run in strangers' repositories, so a file
 * below the working directory is never looked for. LOAM_URL and LOAM_MCP_API_KEY override.
 */
export async function loadClient(
  from: { env?: Environment; cwd?: string; file?: string | undefined } = {},
): Promise<Client> {
  const { env = process.env, cwd = process.cwd() } = from
  const home = env['HOME'] || homedir()
  const asked = from.file ?? env['LOAM_CONFIG']
  const file = asked ? resolve(cwd, expandHome(asked, home)) : clientFile(home)
  const found = await fileSettings(file, Boolean(asked), home, env)
  const url = env['LOAM_URL'] || found.url || 'http://127.0.0.1:8420'
  if (!hasForm('url', url)) throw invalid('LOAM_URL: must be an http:// or https:// address')

  return {
    url: url.replace(/\/+$/, ''),
    async key() {
      const key = env['LOAM_MCP_API_KEY'] ?? found.key ?? (await keptKey(found.keyFile))
      if (key) return key
      throw invalid(
        `no key for ${url}: start "loam serve" once on this machine, set LOAM_MCP_API_KEY, or name the key's file as key_file in ${file}`,
      )
    },
  }
}

export const clientFile = (home: string): string => join(home, '.config/loam/client.yaml')

/** What a client file says. */
export interface ClientFile {
  url: string
  key_file?: string
}

/**
 * Leaves a file by which clients find the service, and answers with its path: the user's own if
 * there was none or it leads here already; else, since it is not ours to change, one beside the data.
 */
export async function leaveClientFile(
  home: string,
  dataDir: string,
  client: ClientFile,
): Promise<string> {
  const usual = clientFile(home)
  // A service user may have no home, or none that can be written.
  await writeNew(usual, client).catch(() => {})
  if (await leadsTo(usual, client)) return usual
  const own = join(dataDir, 'client.yaml')
  if (!(await leadsTo(own, client))) {
    await unlink(own).catch(() => {})
    await writeNew(own, client)
  }
  return own
}

/** Whole or not at all, and never over a file that is there. */
async function writeNew(path: string, client: ClientFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const fresh = `${path}.${randomUUID()}`
  await writeFile(fresh, stringify(client), { mode: 0o600, flag: 'wx' })
  try {
    await link(fresh, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(fresh)
  }
}

async function leadsTo(path: string, { url, key_file }: ClientFile): Promise<boolean> {
  const found = (await readYaml(path).catch(() => ({}))) as Partial<ClientFile>
  return found.url === url && found.key_file === key_file
}

interface Found {
  url?: string
  key?: string
  keyFile?: string
}

async function fileSettings(
  path: string,
  required: boolean,
  home: string,
  env: Environment,
): Promise<Found> {
  const written = (await readYaml(path).catch((error: Error) => {
    if (required || !error.message.includes('ENOENT')) throw error
    return {}
  })) as Record<string, unknown>
  const names = Object.keys(written)
  const isClients = !required || names.some((name) => CLIENT_KEYS.includes(name))
  if (!isClients) return serviceSettings(path, env)

  const stray = names.find((name) => !CLIENT_KEYS.includes(name))
  if (stray) throw invalid(`${path}: unknown key "${stray}"; known: ${CLIENT_KEYS.join(', ')}`)
  const { url, key_file } = written
  if (url !== undefined && !(typeof url === 'string' && hasForm('url', url)))
    throw invalid(`${path}: url must be an http:// or https:// address`)
  if (key_file !== undefined && (typeof key_file !== 'string' || key_file === ''))
    throw invalid(`${path}: key_file must be the path of a file`)
  return {
    ...(url === undefined ? {} : { url }),
    ...(key_file === undefined
      ? {}
      : { keyFile: resolve(dirname(path), expandHome(key_file, home)) }),
  }
}

/**
 * On the service's own machine its file tells a client everything too. Its schema is loaded for that
 * alone: a hook, which a prompt waits for, does without.
 */
async function serviceSettings(file: string, env: Environment): Promise<Found> {
  const { loadConfig, publicUrl } = await import('../config.ts')
  // A client's own key comes before the file's, and it is not for a client to judge.
  const others = { ...env, LOAM_MCP_API_KEY: undefined }
  const { config, keyFrom } = await loadConfig({ env: others, file })
  const url = publicUrl(config)
  return keyFrom ? { url, key: config.mcp.api_key } : { url, keyFile: keyFile(config) }
}

const keptKey = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : readKey(path)
