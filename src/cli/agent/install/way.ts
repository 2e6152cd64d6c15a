import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { clientFile, loadClient, type ClientFile } from '../../../config/client.ts'
import { readYaml } from '../../../config/file.ts'
import { hasForm } from '../../../config/forms.ts'
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
    await keepUrl(usual, asked.url)
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

async function keepUrl(path: string, url: string): Promise<void> {
  if (!hasForm('url', url)) throw invalid('--url must be an http:// or https:// address')
  const known: Partial<ClientFile> = (await readIfThere(path)) ? await readYaml(path) : {}
  if (known.url === url) return
  // Another service: where the store of the one before lies says nothing of it.
  const { data_dir: _, config: __, ...kept } = known
  await writeWhole(path, stringify({ ...kept, url }))
}
