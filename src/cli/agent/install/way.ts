import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'
import { clientFile, loadClient, type ClientFile } from '../../../config/client.ts'
import { hasForm } from '../../../config/forms.ts'
import { invalid } from '../../../kernel/refusal.ts'
import { homeOf, type Machine } from '../../machine.ts'
import { readIfThere, writeWhole } from './file.ts'

/** How a client's configuration finds the service: everything that is written into one. */
export interface Way {
  /** The service, without a slash at its end. */
  url: string
  /** Kept out of every command line; written only where a client can carry it no other way. */
  key: string
  /** The program, whole: clients run in other folders than this one. */
  program: string
  /** The file by which the program finds the service again. */
  config: string
}

const PROGRAM = fileURLToPath(new URL('../../../../bin/loam.mjs', import.meta.url))

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
  return { url: client.url, key: await client.key(), program: PROGRAM, config }
}

async function keepUrl(path: string, url: string): Promise<void> {
  if (!hasForm('url', url)) throw invalid('--url must be an http:// or https:// address')
  const known = (parse((await readIfThere(path)) ?? '') ?? {}) as Partial<ClientFile>
  if (known.url === url) return
  await writeWhole(path, stringify({ ...known, url }), { mode: 0o600 })
}
