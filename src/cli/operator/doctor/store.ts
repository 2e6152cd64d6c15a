import type { Config, Settings } from '../../../config.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import { hearsNotifications, proveServer } from '../../../postgres/start-proof.ts'
import { changeLine, checkedLine, learnedLine } from '../embeddings/status-lines.ts'
import { type Check, fail, info, ok, refusal, warn } from './check.ts'
import type { Status } from './status.ts'

/** The store, as the process that has it open describes it; with none running it is opened here. */
export async function* checkStore(
  settings: Settings,
  running: boolean,
  askStatus: () => Promise<Status>,
): AsyncGenerator<Check, Status | undefined> {
  const status = await askStatus().catch(refusal)
  if (status instanceof Refusal) {
    yield fail('store', status.message)
    return undefined
  }
  const { database, corrected, progress, problems } = status
  yield ok('store', `${status.store}${running ? ` (open in process ${status.pid})` : ''}`)
  yield ok('database', `${database.kind} PostgreSQL ${database.version}, schema ${database.schema}`)
  if (database.kind === 'server') yield* reliedOn(settings.config)
  // Less is told as no time at all.
  if (Math.abs(corrected) >= 0.05) yield info('clock', correctedBy(corrected))
  if (progress.behind) yield warn('files', catchingUp(progress))
  else if (problems.length === 0) yield ok('files', 'all indexed')
  for (const { path, problem } of problems) yield warn('files', `${path}: ${problem}`)
  yield vectors(status.embeddings)
  yield chat(status.chat)
  return status
}

function correctedBy(seconds: number): string {
  const amount = Math.abs(seconds).toLocaleString('en-US', { maximumFractionDigits: 1 })
  const back = seconds > 0 ? 'back' : 'ahead'
  return (
    `the database's clock was set ${back}: it is corrected by ${seconds > 0 ? '+' : '-'}${amount} s, ` +
    'so that leases and sessions go on by elapsed time'
  )
}

const catchingUp = ({ read, files }: Status['progress']): string =>
  `catching up: ${read.toLocaleString('en-US')} of ${files.toLocaleString('en-US')} are read; ask again`

/** What came of asking the embedding provider for one vector. */
function vectors(status: Status['embeddings']): Check {
  const { on, chosen, model, dims, cause, learned, checked, change, seconds } = status
  if (on && cause === '') {
    const own =
      learned && model === 'store' ? learnedLine(learned) : checked && checkedLine(checked)
    const told = own ? `; ${own}` : ''
    const turns = change ? `; ${changeLine(change, seconds)}` : ''
    return ok('vectors', `${model} answers with ${dims} dimensions${told}${turns}`)
  }
  const text = `${cause}; recall searches by words alone`
  return on ? warn('vectors', text) : chosen ? info('vectors', text) : warn('vectors', text)
}

/** Which chat model is set up. It is not asked: an answer of some models costs money. */
function chat(state: Status['chat']): Check {
  if (state.on) return ok('chat', `${state.model} (${state.provider}) is set up`)
  const text = `${state.cause}; the gardener goes by its rules alone`
  return state.misconfigured ? warn('chat', text) : info('chat', text)
}

/** What several processes on one database rely on, proved on connections of our own. */
async function* reliedOn({ database: { url, listen_url } }: Config): AsyncGenerator<Check> {
  if (url === '') {
    yield info(
      'locks',
      'only the service knows where its database is; LOAM_DATABASE_URL tells it here',
    )
    return
  }
  const config = { connectionString: url }
  try {
    await proveServer(config, new URL(url).host)
    yield ok('locks', 'kept apart between two connections; snapshots are read')
    if (await hearsNotifications({ connectionString: listen_url || url }, config))
      yield ok('feed', 'notifications arrive')
    else
      yield warn(
        'feed',
        'no notification arrives, so events are polled for: set database.listen_url to an ' +
          'address of the server that leads past the pooler',
      )
  } catch (error) {
    yield fail('database', error instanceof Refusal ? error.message : 'it cannot be looked at')
  }
}
