import type { Settings } from '../../../config.ts'
import { readBuild } from '../../../kernel/build.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import { runningSocket } from '../store/operate.ts'
import { type Check, fail, ok, refusal } from './check.ts'
import { checkData } from './data.ts'
import { checkKey } from './key.ts'
import { ownerOnly } from './owner-only.ts'
import { checkService } from './service.ts'
import { checkStore } from './store.ts'
import type { Status } from './status.ts'

interface Sources {
  settings(): Promise<Settings>
  askStatus(): Promise<Status>
}

/** Everything that doctor looks at, in the order in which one thing rests on another. */
export async function* checks(sources: Sources): AsyncGenerator<Check> {
  const { version, commit } = readBuild()
  yield ok('version', `loam ${version}${commit && ` (${commit.slice(0, 12)})`}`)
  yield ok('node', process.versions.node)

  const settings = await sources.settings().catch(refusal)
  if (settings instanceof Refusal) {
    for (const line of settings.message.split('\n')) yield fail('config', line)
    return
  }
  yield ok('config', settings.file ?? 'no file: defaults and environment')
  if (settings.file) yield* ownerOnly('config', settings.file, 0o600)

  const there = yield* checkData(settings.config.data_dir)
  const key = yield* checkKey(settings)
  const running = there && (await runningSocket(settings.config.data_dir)) !== undefined
  const registered = there ? yield* checkStore(settings, running, sources.askStatus) : undefined
  yield* checkService(settings, running, key, running ? registered : undefined)
}
