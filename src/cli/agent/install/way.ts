import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { clientFile, loadClient, type ClientFile } from '../../../config/client.ts'
import { asClientFile, ownClientFile, storeOf } from '../../../config/client-file.ts'
import { readYaml } from '../../../config/file.ts'
import { hasForm, isLoopback } from '../../../config/forms.ts'
import { invalid } from '../../../kernel/refusal.ts'
import { homeOf, type Machine } from '../../machine.ts'
import { readIfThere, writeWhole } from './edit/file.ts'

/** How a client's configuration finds the service: everything that is written into one. */
export interface Way {
  /** The service, without a slash at its end. */
  url: string
  /** The file by which the program finds the service again. It is told of the key by that file alone. */
  config: string
}

const program = (name: string): string =>
  fileURLToPath(new URL(`../../../../bin/${name}`, import.meta.url))
const PROGRAM = program('loam.mjs')
/** For what an agent waits for: it loads no package. */
const QUICK = program('loam-hook.mjs')

/**
 * The words that start a command of ours for a client. All paths are whole: clients run in other folders
 * than this one, and under a desktop or a version manager there is no `node` to be found by its name.
 */
export const commandOf = ({ config }: Way, words: readonly string[], client: string): string[] => [
  process.execPath,
  words[0] === 'bridge' ? PROGRAM : QUICK,
  ...words,
  '--config',
  config,
  '--client',
  client,
]

/**
 * The way to the service of this machine's user, or of `config`. A `url` is kept in the user's client
 * file first. Refuses when there is no key: a client without one could only be turned away.
 */
export async function findWay(
  { env, cwd }: Pick<Machine, 'env' | 'cwd'>,
  asked: { config: string | undefined; url?: string | undefined },
): Promise<Way> {
  const usual = clientFile(homeOf({ env }))
  const named = asked.config ?? env['LOAM_CONFIG']
  const config = named ? resolve(cwd, named) : usual
  if (asked.url) {
    if (named) throw invalid('--url changes the usual client file; leave --config out')
    await keepUrl(usual, asked.url, { env })
  }
  const client = await loadClient({ env, cwd, file: named })
  await client.key()
  return { url: client.url, config }
}

/** The way as far as it is known: what is ours is found without a key, and without a service. */
export async function knownWay({ env, cwd }: Pick<Machine, 'env' | 'cwd'>): Promise<Way> {
  const named = env['LOAM_CONFIG']
  const config = named ? resolve(cwd, named) : clientFile(homeOf({ env }))
  const { url } = await loadClient({ env, cwd }).catch(() => ({ url: '' }))
  return { url, config }
}

async function keepUrl(path: string, url: string, { env }: Pick<Machine, 'env'>): Promise<void> {
  if (!hasForm('url', url)) throw invalid('--url must be an http:// or https:// address')
  const known: ClientFile = (await readIfThere(path)) ? await readYaml(path) : {}
  const store = await storeOf(asClientFile(known, path, homeOf({ env })))
  if (known.url !== undefined && isSame(known.url, url)) return
  if (store === undefined) return writeWhole(path, stringify({ ...known, url }))
  // Its start leaves the address beside the data: it may have got another one.
  const own = await readYaml(ownClientFile(store)).catch(() => ({}))
  const { url: left } = own as { url?: unknown }
  if (typeof left === 'string' && hasForm('url', left) && isSame(left, url))
    return writeWhole(path, stringify({ ...known, url }))
  // Another service: nothing of the store before it leads there, and its key is not for that one.
  if (known.key_file !== undefined && !env['LOAM_MCP_API_KEY']) {
    throw invalid(
      `${url} is not the address of the store ${store}, so it does not get the key of that store. ` +
        `For the store, set its base_url and start it again; for another service, put url and key_file of its own into ${path}`,
    )
  }
  await writeWhole(path, stringify({ url }))
}

/** Whether both lead to the same service: this machine has more than one name. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((each) => {
    const url = new URL(each)
    if (isLoopback(url.hostname)) url.hostname = 'localhost'
    return url.href.replace(/\/+$/, '')
  })
  return a === b
}
