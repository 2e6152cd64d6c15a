import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { App } from '../../../app.ts'
import { type Config, isLocal, publicUrl } from '../../../config.ts'
import { leaveClientFile } from '../../../config/client.ts'
import { splitAddress } from '../../../config/forms.ts'
import { withKeyMade } from '../../../config/key.ts'
import { keyFile } from '../../../config/key-file.ts'
import { failpointFrom } from '../../../kernel/failpoint.ts'
import { invalid } from '../../../kernel/refusal.ts'
import { beginStoreDatabase } from '../../../store-database.ts'
import type { OperatorCall } from '../../command.ts'
import { homeOf } from '../../machine.ts'
import { LOG_FORMS, openLog } from '../store/log.ts'
import { DISPLACED_CODE, displacedWords } from './displaced.ts'
import { giveMemoryBack } from './frugal.ts'
import { warnings, welcome } from './welcome.ts'

/** Calls in flight get this long to finish after the first signal; then their connections are cut. */
const DRAIN_MS = 8000
/** And this long after the first signal the process ends, whatever is still open. */
const END_MS = 9500

interface Asked {
  addr: string | undefined
  logFile: string | undefined
  /** json or plain; undefined: as the output asks for. */
  log: string | undefined
}

/** Runs the service until a signal stops it. Resolves when it has started. */
export async function serve(
  call: OperatorCall,
  { addr, logFile, log: asked }: Asked,
): Promise<void> {
  if (logFile === '') throw invalid('--log-file: needs the path of a file')
  const settings = await call.configured({ addr })
  const config = await withKeyMade(settings)
  const form = LOG_FORMS.find((each) => each === asked)
  const log = openLog(config.log.level, call, { file: logFile, form })
  const failpoint = failpointFrom(settings.failpoint)
  // The engine opens while the code of the house is read, and while its routes are laid: what is not needed to begin
  // it is read after that.
  const { opened: database } = await beginStoreDatabase(config, log)
  const { buildApp } = await import('../../../app.ts')
  const house = await buildApp(config, { log, failpoint, configured: settings, database })
  const close = await open(house, config, call).catch(async (error: unknown) => {
    await house.close()
    throw error
  })
  stopWhenAsked(house, close, log)

  const { port } = house.app.server.address() as AddressInfo
  const url = publicUrl({ ...config, addr: `${splitAddress(config.addr).host}:${port}` })
  const key = settings.keyFrom ? {} : { key_file: keyFile(config) }
  const told = {
    ...{ url, ...key, data_dir: config.data_dir },
    ...(settings.file !== undefined && { config: settings.file }),
  }
  const warn = (text: string): void => call.complain(`warning: ${text}`)
  const client = await leaveClientFile(homeOf(call), config.data_dir, told, warn)
  const found = { url, database: house.database.kind, client, home: homeOf(call) }
  call.say(welcome(settings, found))
  for (const warning of warnings(config, isLocal(config))) warn(warning)
}

/** Opens the operator's socket and the port. Returns what closes everything again. */
async function open(
  house: App,
  config: Config,
  { operationOf }: OperatorCall,
): Promise<() => Promise<void>> {
  const { serveOperator } = await import('../store/operator-server.ts')
  const { listenOn } = await import('../../../http/listen.ts')
  const operator = await serveOperator(house, operationOf)
  try {
    await listenOn(house.app, config.addr)
  } catch (error) {
    await operator.close()
    throw error
  }
  const frugal = giveMemoryBack(house.kernel.pace)
  return async () => {
    frugal[Symbol.dispose]()
    await operator.close()
    await house.close()
  }
}

/** The first signal drains and ends with 0; a second one ends at once. A lost ground ends it as well. */
function stopWhenAsked(house: App, close: () => Promise<void>, log: Logger): void {
  let [stopping, signalled] = [false, false]
  const end = (code: number): void => {
    if (stopping) return
    stopping = true
    // For an end without a word: what is awaited may hold nothing that keeps the process alive.
    process.exitCode = code
    setTimeout(() => house.app.server.closeAllConnections(), DRAIN_MS).unref()
    setTimeout(() => process.exit(code || 1), END_MS).unref()
    close().then(
      () => process.exit(code),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly')
        process.exit(code || 1)
      },
    )
  }
  const stop = (signal: NodeJS.Signals | 'disconnect') => {
    if (signalled) process.exit(signal === 'SIGINT' ? 130 : 143)
    signalled = true
    log.info({ signal }, 'stopping')
    end(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  // Started by another Node (bin/loam.mjs): when that one is gone, nobody could stop this one.
  process.on('disconnect', () => stop('disconnect'))
  process.channel?.unref()
  const leave = async (): Promise<void> => {
    const leads = await house.displaced
    const { data_dir } = house.kernel.config
    log.fatal({ data_dir }, displacedWords(data_dir, leads))
    end(DISPLACED_CODE)
  }
  void leave()
}
