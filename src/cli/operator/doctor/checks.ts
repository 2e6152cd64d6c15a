import { isLocal } from '../../../config.ts'
import type { Client } from '../../../config/client.ts'
import type { Place } from '../../../config/place.ts'
import { readBuild } from '../../../kernel/build.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import { knownWay } from '../../agent/install/way.ts'
import type { Machine } from '../../machine.ts'
import { runningSocket } from '../store/socket.ts'
import { type Check, fail, info, ok, refusal } from './check.ts'
import { checkClients } from './clients.ts'
import { checkData } from './data.ts'
import { checkKey } from './key.ts'
import { ownerOnly } from './owner-only.ts'
import { checkService } from './service.ts'
import { checkStore } from './store.ts'
import type { Status } from './status.ts'

interface Sources {
  machine: Pick<Machine, 'env' | 'cwd'>
  place(): Promise<Place>
  /** Refuses when no store stands at the place. */
  settings(): Promise<unknown>
  client(): Promise<Client>
  askStatus(): Promise<Status>
}

/** Everything that doctor looks at, in the order in which one thing rests on another. */
export async function* checks(sources: Sources): AsyncGenerator<Check> {
  const { version, commit } = readBuild()
  yield ok('version', `loam ${version}${commit && ` (${commit.slice(0, 12)})`}`)
  yield ok('node', process.versions.node)

  const place = await sources.place().catch(refusal)
  if (place instanceof Refusal) {
    for (const line of place.message.split('\n')) yield fail('config', line)
    return
  }
  let status: Status | undefined
  if (place.kind === 'service') yield* checkElsewhere(place, sources)
  else if (place.kind === 'store') status = yield* checkHere(place, sources)
  const refused = await sources.settings().catch(refusal)
  if (refused instanceof Refusal && place.kind !== 'service') yield fail('store', refused.message)

  const { url, config } = await knownWay(sources.machine)
  yield* checkClients({
    where: sources.machine,
    url: 'url' in place ? place.url : url,
    config,
    heard: status?.heard,
  })
}

/** A store on this machine, and the service on it. */
async function* checkHere(
  { settings, url, copyOf }: Extract<Place, { kind: 'store' }>,
  sources: Sources,
): AsyncGenerator<Check, Status | undefined> {
  const { config, file } = settings
  yield ok('config', file ?? 'no file: defaults and environment')
  if (file) yield* ownerOnly('config', file, 0o600)

  yield* checkData(config.data_dir)
  const key = yield* checkKey(settings)
  const stands = !((await sources.settings().catch(refusal)) instanceof Refusal)
  const running = stands && (await runningSocket(config.data_dir)) !== undefined
  const registered = stands ? yield* checkStore(settings, running, sources.askStatus) : undefined
  // What answers at that address has the other store open.
  if (copyOf !== undefined && !running) {
    yield info('service', `none was started yet on this copy of ${copyOf}`)
    return registered
  }
  const unanswered = running
    ? fail('service', `runs but does not answer at ${url}: check addr and base_url`)
    : info('service', `not running at ${url}`)
  yield* checkService(url, { key, unanswered, registered: running ? registered : undefined })
  if (!isLocal(config)) yield info('service', 'can be reached from other machines')
  return registered
}

/** A service whose store lies on another machine: what an agent needs of it. */
async function* checkElsewhere(
  { url, by }: Extract<Place, { kind: 'service' }>,
  { client }: Sources,
): AsyncGenerator<Check> {
  yield ok('config', by)
  yield info('store', 'not on this machine')
  const key = await (await client()).key().catch(refusal)
  if (key instanceof Refusal) yield fail('key', key.message)
  yield* checkService(url, {
    key: key instanceof Refusal ? '' : key,
    unanswered: fail('service', `does not answer at ${url}`),
    registered: undefined,
  })
}
