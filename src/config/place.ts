/**
 * Which store an operator's command speaks of. One rule for all of them: `--config`; LOAM_CONFIG,
 * LOAM_DATA_DIR, LOAM_URL; the user's own files in ~/.config/loam; what stands in the working directory.
 */
import { realpath } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { type Environment, loadConfig, publicUrl, type Settings } from '../config.ts'
import { invalid } from '../kernel/refusal.ts'
import { STORE_MARK } from '../kernel/store-mark.ts'
import {
  asClientFile,
  type ClientFile,
  clientFile,
  copiedFrom,
  exists,
  leadsToService,
  ownClientFile,
  storeOf,
} from './client-file.ts'
import { expandHome, readYaml } from './file.ts'
import { homeIn } from '../kernel/whereabouts.ts'

/** A store on this machine. Whether it stands is not looked at. */
interface StorePlace {
  kind: 'store'
  settings: Settings
  /** The address of its service, without a slash at its end. */
  url: string
  /** What named it, for people. */
  by: string
  /** The store of which it is a copy; no service was started on it yet. */
  copyOf?: string
}

/** A service whose store is not known here. */
interface ServicePlace {
  kind: 'service'
  url: string
  by: string
}

/** Nothing is named, and nothing stands here. */
interface NoPlace {
  kind: 'nothing'
  /** The files and directories that are not there. */
  looked: string[]
}

export type Place = StorePlace | ServicePlace | NoPlace

interface At {
  env: Environment
  cwd: string
  home: string
}

/** Finds the store, or the service when its store is elsewhere. Throws a Refusal for a file that is wrong. */
export async function findPlace(
  from: { env: Environment; cwd: string },
  typed: string | undefined,
): Promise<Place> {
  const { env, cwd } = from
  const home = homeIn(env)
  const at = { env, cwd, home }
  const whole = (path: string): string => resolve(cwd, expandHome(path, home))
  if (typed) return byFile(whole(typed), '--config', at)
  if (env['LOAM_CONFIG']) return byFile(whole(env['LOAM_CONFIG']), 'LOAM_CONFIG', at)
  if (env['LOAM_DATA_DIR']) return byDirectory(whole(env['LOAM_DATA_DIR']), at)

  const usual = clientFile(home)
  const client = (await exists(usual))
    ? asClientFile(await readYaml(usual), usual, home)
    : undefined
  const asked = env['LOAM_URL']?.replace(/\/+$/, '')
  if (asked && asked !== client?.url?.replace(/\/+$/, ''))
    return { kind: 'service', url: asked, by: 'LOAM_URL' }
  if (client) return byClientFile(client, asked ? 'LOAM_URL' : usual, at)

  const own = join(home, '.config/loam/loam.yaml')
  if (await exists(own)) return store(await loadConfig({ env, cwd, file: own }), own)
  return here(at, [usual, own])
}

/** A file that was named: the configuration of a service, or what leads to one. */
async function byFile(file: string, how: string, at: At): Promise<StorePlace | ServicePlace> {
  const { env, cwd, home } = at
  const written = await readYaml(file)
  if (leadsToService(written))
    return byClientFile(asClientFile(written, file, home), `${how} ${file}`, at)
  const over = env['LOAM_DATA_DIR'] ? 'LOAM_DATA_DIR, over ' : ''
  const url = how === 'LOAM_CONFIG' ? env['LOAM_URL'] : undefined
  return store(await loadConfig({ env, cwd, file }), `${over}${how} ${file}`, url)
}

/** A data directory knows the file that its service was started with, and the address. */
async function byDirectory(dir: string, { env, cwd, home }: At): Promise<StorePlace> {
  const file = ownClientFile(dir)
  const left = (await exists(file)) ? asClientFile(await readYaml(file), file, home) : {}
  // What lies in a copy tells the address, and maybe the database, of the other.
  const copyOf = await copiedFrom(dir, left.data_dir)
  const { url, config }: ClientFile = copyOf === undefined ? left : {}
  const own = join(home, '.config/loam/loam.yaml')
  const named = (await existing(config)) ?? (await existing(own)) ?? null
  const settings = await loadConfig({ env, cwd, file: named })
  const place = store(settings, 'LOAM_DATA_DIR', env['LOAM_URL'] || url)
  return { ...place, ...(copyOf !== undefined && { copyOf }) }
}

async function byClientFile(
  client: ClientFile,
  by: string,
  { env, cwd }: At,
): Promise<StorePlace | ServicePlace> {
  const { url, config } = client
  const dir = await storeOf(client)
  if (dir === undefined) return { kind: 'service', url: url ?? publicUrl(USUAL), by }
  const file = (await existing(config)) ?? null
  const settings = await loadConfig({ env: { ...env, LOAM_DATA_DIR: dir }, cwd, file })
  return store(settings, by, url)
}

const USUAL = { addr: '127.0.0.1:8420', base_url: '' }

/**
 * What stands in the working directory, which may be the repository of a stranger: its file speaks of the
 * store beside it and of none elsewhere, and no key of the environment goes to an address that it names.
 */
async function here({ env, cwd }: At, looked: string[]): Promise<StorePlace | NoPlace> {
  const file = join(cwd, 'loam.yaml')
  const dir = join(cwd, 'loam-data')
  if (await exists(file)) {
    const keyless = Object.entries(env).filter(([name]) => !/^LOAM_(?:\w+_)?API_KEY$/.test(name))
    const settings = await loadConfig({ env: Object.fromEntries(keyless), cwd, file })
    if (!(await liesIn(settings.config.data_dir, cwd)))
      throw invalid(
        `${file} names the data directory ${settings.config.data_dir}, which does not lie beside it; ` +
          `a file that only stands where you are may not do so. If it is yours, name it: --config ${file}`,
      )
    return store(settings, file)
  }
  if (await exists(join(dir, STORE_MARK)))
    return store(await loadConfig({ env, cwd, file: null }), dir)
  return { kind: 'nothing', looked: [...looked, file, dir] }
}

async function liesIn(path: string, directory: string): Promise<boolean> {
  const [inner, outer] = await Promise.all(
    [path, directory].map((each) => realpath(each).catch(() => each)),
  )
  const way = relative(outer!, inner!)
  return way !== '' && !way.startsWith('..') && !way.startsWith('/')
}

const store = (settings: Settings, by: string, url?: string): StorePlace => ({
  kind: 'store',
  settings,
  url: (url || publicUrl(settings.config)).replace(/\/+$/, ''),
  by,
})

const existing = async (path: string | undefined): Promise<string | undefined> =>
  path !== undefined && (await exists(path)) ? path : undefined
