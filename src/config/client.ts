import { resolve } from 'node:path'
import type { Environment } from '../config.ts'
import { invalid } from '../kernel/refusal.ts'
import {
  asClientFile,
  clientFile,
  copiedFrom,
  leadsToService,
  ownClientFile,
} from './client-file.ts'
import { expandHome, readYaml } from './file.ts'
import { hasForm, isSendable } from './forms.ts'
import { homeIn, workingDirectory } from '../kernel/whereabouts.ts'
import { keyFile, readKey } from './key-file.ts'

export { clientFile, fileToName, leaveClientFile, type ClientFile } from './client-file.ts'

/** The address of the service for a client command, and the key for it. */
export interface Client {
  /** Without a slash at its end. */
  url: string
  /** Reads the key on each call, so that a rotated key applies. Refuses when there is none. */
  key(): Promise<string>
}

/** A service, and what named it: --config, a variable, a file. Undefined: it is the usual address. */
export interface FoundClient extends Client {
  by: string | undefined
}

const USUAL = 'http://127.0.0.1:8420'

/**
 * Returns the client's side of the configuration: --config; else LOAM_URL, LOAM_CONFIG and LOAM_DATA_DIR;
 * else ~/.config/loam/client.yaml. A file that is named is a client file or the service's own. The key of
 * LOAM_MCP_API_KEY goes before any other.
 *
 * Client commands run in foreign repositories, so they never search a file below the working directory:
 * it could name an address, and the key of the user would be sent there.
 */
export async function loadClient(
  from: { env?: Environment; cwd?: string; file?: string | undefined } = {},
): Promise<FoundClient> {
  const { env = process.env, cwd = workingDirectory() } = from
  const home = homeIn(env)
  const found = await findService(from.file, { env, cwd, home })
  const given = from.file === undefined ? env['LOAM_URL'] : undefined
  const url = given || found.url || env['LOAM_URL'] || USUAL
  if (!hasForm('url', url)) throw invalid('LOAM_URL: must be an http:// or https:// address')

  return {
    url: url.replace(/\/+$/, ''),
    by: given || (env['LOAM_URL'] && !found.url) ? 'LOAM_URL' : found.by,
    async key() {
      // A line of a file may have ended behind it.
      const key = env['LOAM_MCP_API_KEY']?.trim() ?? found.key ?? (await storedKey(found.keyFile))
      if (key && !isSendable(key))
        throw invalid(`the key for ${url} holds more than visible ASCII characters, as no key does`)
      if (key) return key
      throw invalid(
        `no key for ${url}: start "loam serve" once on this machine, set LOAM_MCP_API_KEY, or name the key's file as key_file in ${found.file}`,
      )
    },
  }
}

interface Found {
  /** The file that was read, or where one would be. */
  file: string
  by?: string
  url?: string
  key?: string
  keyFile?: string
  dataDir?: string | undefined
}

interface At {
  env: Environment
  cwd: string
  home: string
}

async function findService(typed: string | undefined, at: At): Promise<Found> {
  const { env, cwd, home } = at
  const named = typed ?? env['LOAM_CONFIG']
  if (named) {
    const file = resolve(cwd, expandHome(named, home))
    return { ...(await readNamed(file, at)), by: `${typed ? '--config' : 'LOAM_CONFIG'} ${file}` }
  }
  // The data directory is another name of its service, unless the address itself is given.
  if (env['LOAM_DATA_DIR'] && !env['LOAM_URL']) {
    const dir = resolve(cwd, expandHome(env['LOAM_DATA_DIR'], home))
    const found = await readClient(ownClientFile(dir), home)
    const other = found && (await copiedFrom(dir, found.dataDir))
    if (other !== undefined)
      throw invalid(
        `LOAM_DATA_DIR: ${dir} is a copy of the store ${other}, and its client.yaml leads to the service of that one. ` +
          'Start a service on the copy with "loam serve" first, or name the other',
      )
    return { ...(found ?? (await ofService(null, at))), by: 'LOAM_DATA_DIR' }
  }
  const usual = clientFile(home)
  const found = await readClient(usual, home)
  return found ? { ...found, by: usual } : { file: usual }
}

/** Reads a client file; undefined when there is none. */
async function readClient(file: string, home: string): Promise<Found | undefined> {
  const written = await readYaml(file).catch((error: Error) => {
    if (!error.message.includes('ENOENT')) throw error
    return undefined
  })
  return written && fromClientFile(file, written, home)
}

async function readNamed(file: string, at: At): Promise<Found> {
  const written = await readYaml(file)
  return leadsToService(written) ? fromClientFile(file, written, at.home) : ofService(file, at)
}

function fromClientFile(file: string, written: object, home: string): Found {
  const { url, key_file, data_dir } = asClientFile(written, file, home)
  return { file, ...(url && { url }), ...(key_file && { keyFile: key_file }), dataDir: data_dir }
}

/**
 * Returns what the service's own file says, on its own machine. Only this case loads the schema: a hook
 * must be fast, since a prompt waits for it.
 */
async function ofService(file: string | null, { env, cwd }: At): Promise<Found> {
  const { loadConfig, publicUrl } = await import('../config.ts')
  // A client's own key overrides the file's, and a client does not judge the file's key.
  const others = { ...env, LOAM_MCP_API_KEY: undefined }
  const { config, keyFrom } = await loadConfig({ env: others, cwd, file })
  const url = publicUrl(config)
  const key = keyFrom ? { key: config.mcp.api_key } : { keyFile: keyFile(config) }
  return { file: file ?? 'the configuration', url, ...key }
}

const storedKey = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : readKey(path)
