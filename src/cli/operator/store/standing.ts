/** Only some commands make a store. All others speak of one that stands, or say where they looked. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Environment, loadConfig, type Settings } from '../../../config.ts'
import { NOT_IN_FILES } from '../../../store-database.ts'
import type { Place } from '../../../config/place.ts'
import { type Refusal, unavailable } from '../../../kernel/refusal.ts'
import { STORE_MARK } from '../../../kernel/store-mark.ts'
import type { Command } from '../../command.ts'
import { runningSocket } from './socket.ts'

interface Here {
  env: Environment
  cwd: string
}

/** Returns the settings of the store that a command speaks of. Refuses when none stands and it makes none. */
export async function settingsOf(
  place: Place,
  { name, makes }: Pick<Command, 'name' | 'makes'>,
  { env, cwd }: Here,
): Promise<Settings> {
  if (place.kind === 'service') throw elsewhere(place, name, await namesHere(cwd))
  if (place.kind === 'nothing') {
    if (makes) return loadConfig({ env, cwd, file: null })
    throw unavailable(`no store stands here: there is no ${listed(place.looked)}. ${ADVICE}`)
  }
  if (!makes) await assertStands(place)
  return place.settings
}

/** Refuses when no store stands at the place, or only the half of one. */
async function assertStands({ settings, by }: Extract<Place, { kind: 'store' }>): Promise<void> {
  const { data_dir, database } = settings.config
  const [mark, directory] = await Promise.all([
    look(join(data_dir, STORE_MARK)),
    look(join(data_dir, 'db')),
  ])
  if (mark === 'denied')
    throw unavailable(`the store ${data_dir} (${by}) cannot be read by this user`)
  if (mark === 'there' && (database.url || directory !== 'missing')) return
  if ((await runningSocket(data_dir)) !== undefined) return
  if (mark === 'missing')
    throw unavailable(`no store stands at ${data_dir} (${by}). ${FIRST}${ADVICE}`)
  throw unavailable(
    `the store ${data_dir} (${by}) has no database: when it is on a server, set LOAM_DATABASE_URL; ` +
      'when db/ or a backup of it is still there, put it back. "loam serve" would make a new one from the files, ' +
      `without ${NOT_IN_FILES}`,
  )
}

const ADVICE =
  'Start one with "loam serve", or name another with --config <file> or LOAM_DATA_DIR=<directory>'
/** A start there would make a new store beside the one that is only away. */
const FIRST = 'If there was one, look first whether its disk is mounted and whether it was moved. '

function elsewhere(
  { url, by }: Extract<Place, { kind: 'service' }>,
  name: string,
  here: string[],
): Refusal {
  const typed =
    here.length > 0 ? here : ['--config <its loam.yaml>', 'LOAM_DATA_DIR=<its data directory>']
  const lines = typed.map((each) =>
    each.startsWith('--') ? `loam ${name} ${each}` : `${each} loam ${name}`,
  )
  return unavailable(
    `where the store of ${url} (${by}) lies is not known here. On its machine, or for another store, type: ` +
      lines.join(' or: '),
  )
}

/** What a command asked, for people. A store that stands where they are and is not meant is named too. */
export async function describe(
  place: Exclude<Place, { kind: 'nothing' }>,
  cwd: string,
): Promise<string> {
  if (place.kind === 'service') return `${place.url} (${place.by})`
  const { data_dir } = place.settings.config
  const [here] = data_dir.startsWith(`${cwd}/`) ? [] : await namesHere(cwd)
  const other = here === undefined ? '' : `; the one here is named by ${here}`
  return `the store ${data_dir} (${place.by})${other}`
}

/** How the store that stands in the directory would be named. */
async function namesHere(cwd: string): Promise<string[]> {
  if ((await look(join(cwd, 'loam.yaml'))) !== 'missing') return ['--config ./loam.yaml']
  const mark = await look(join(cwd, 'loam-data', STORE_MARK))
  return mark === 'missing' ? [] : ['LOAM_DATA_DIR=./loam-data']
}

const look = (path: string): Promise<'there' | 'missing' | 'denied'> =>
  stat(path).then(
    () => 'there',
    ({ code }: NodeJS.ErrnoException) =>
      code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'denied',
  )

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
