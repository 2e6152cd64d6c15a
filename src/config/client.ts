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

/** The address of the service for a client command, and the key for it. */
export interface Client {
  /** Without a slash at its end. */
  url: string
  /** Reads the key on each call, so that a rotated key applies. Refuses when there is none. */
  key(): Promise<string>
}

const CLIENT_KEYS = ['url', 'key_file']

/**
 * Returns the client's side of the configuration: --config or LOAM_CONFIG (a client file, or the
 * service's own), else ~/.config/loam/client.yaml. Client commands run in foreign repositories, so they
 * never search a file below the working directory. LOAM_URL and LOAM_MCP_API_KEY override.
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
      const key = env['LOAM_MCP_API_KEY'] ?? found.key ?? (await storedKey(found.keyFile))
      if (key) return key
      throw invalid(
        `no key for ${url}: start "loam serve" once on this machine, set LOAM_MCP_API_KEY, or name the key's file as key_file in ${file}`,
      )
    },
  }
}

export const clientFile = (home: string): string => join(home, '.config/loam/client.yaml')

/** The content of a client file. */
export interface ClientFile {
  url: string
  key_file?: string
}

/**
 * Writes a file by which clients find the service, and returns its path. It is the user's file if none
 * existed or it already names this service. Another file of the user stays, and ours goes beside the data.
 */
export async function leaveClientFile(
  home: string,
  dataDir: string,
  client: ClientFile,
): Promise<string> {
  const usual = clientFile(home)
  // The user of a service may have no home, or one without write access.
  await writeNew(usual, client).catch(() => {})
  if (await leadsTo(usual, client)) return usual
  const own = join(dataDir, 'client.yaml')
  if (!(await leadsTo(own, client))) {
    await unlink(own).catch(() => {})
    await writeNew(own, client)
  }
  return own
}

/** Writes the file whole or not at all, and never over another one. */
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
 * Returns the settings from the service's own file, on its own machine. Only this case loads the schema:
 * a hook must be fast, since a prompt waits for it.
 */
async function serviceSettings(file: string, env: Environment): Promise<Found> {
  const { loadConfig, publicUrl } = await import('../config.ts')
  // A client's own key overrides the file's, and a client does not judge the file's key.
  const others = { ...env, LOAM_MCP_API_KEY: undefined }
  const { config, keyFrom } = await loadConfig({ env: others, file })
  const url = publicUrl(config)
  return keyFrom ? { url, key: config.mcp.api_key } : { url, keyFile: keyFile(config) }
}

const storedKey = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : readKey(path)
