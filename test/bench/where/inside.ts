/**
 * Is loaded into a service before its own code, and notes there where its time goes: each statement, each file that is
 * made durable, each request, and what its main thread computes. A signal begins a spell, the next one ends it and
 * writes what was noted to the file of BENCH_WHERE.
 */
import { subscribe } from 'node:diagnostics_channel'
import fs, { renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Session, type Profiler } from 'node:inspector/promises'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'
import threads, { isMainThread, workerData, type Worker } from 'node:worker_threads'
import pg from 'pg'
import { noteAtWork, spellOfEngine, type AtWork } from './engine.ts'

/** From when until when, in milliseconds of the service's own clock. */
export interface Span {
  from: number
  to: number
}

export interface Noted {
  requests: Span[]
  statements: (Span & { text: string })[]
  /** Files and folders that were made durable. */
  synced: Span[]
  /** Milliseconds for which the threads of the service were at work: that of the embedded database. */
  engine: number
  /** That thread's milliseconds by statement. */
  atWork: AtWork
  /** Milliseconds of the main thread, by the address of the file whose code ran, or by what the runtime did. */
  main: Record<string, number>
}

const SAMPLE_MICROSECONDS = 500

const now = (): number => performance.now()
let noted: Omit<Noted, 'engine' | 'atWork' | 'main'> | undefined
const workers: Worker[] = []

function noteStatements(): void {
  const { prototype } = pg.Client
  const real = prototype.query as (...given: unknown[]) => unknown
  prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const from = now()
    const asked = given[0] as string | { text?: string }
    const text = typeof asked === 'string' ? asked : (asked.text ?? '')
    const answer = real.apply(this, given)
    const note = (): void => void noted?.statements.push({ from, to: now(), text })
    if (answer instanceof Promise) void answer.then(note, note)
    return answer
  } as typeof prototype.query
}

async function noteFiles(): Promise<void> {
  const file = await open(fileURLToPath(import.meta.url))
  const prototype = Object.getPrototypeOf(file) as Record<string, () => Promise<void>>
  await file.close()
  for (const name of ['sync', 'datasync']) {
    const real = prototype[name]!
    prototype[name] = async function (this: unknown) {
      const from = now()
      await real.call(this)
      noted?.synced.push({ from, to: now() })
    }
  }
  const { fsync } = fs
  const noting = (file: number, done: fs.NoParamCallback): void => {
    const from = now()
    fsync(file, (error) => {
      noted?.synced.push({ from, to: now() })
      done(error)
    })
  }
  Object.assign(fs, { fsync: noting })
  syncBuiltinESMExports()
}

function noteRequests(): void {
  const began = new WeakMap<object, number>()
  subscribe('http.server.request.start', (message) => {
    began.set((message as { request: object }).request, now())
  })
  subscribe('http.server.response.finish', (message) => {
    const from = began.get((message as { request: object }).request)
    if (from !== undefined) noted?.requests.push({ from, to: now() })
  })
}

function noteWorkers(): void {
  const Real = threads.Worker
  threads.Worker = class extends Real {
    constructor(...given: ConstructorParameters<typeof Real>) {
      super(...given)
      workers.push(this)
    }
  }
  syncBuiltinESMExports()
}

const engineSoFar = (): number =>
  workers.reduce((sum, { performance }) => sum + performance.eventLoopUtilization().active, 0)

function onMain({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Noted['main'] {
  const urls = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const main: Noted['main'] = {}
  for (const [at, id] of samples.entries()) {
    const { url, functionName } = urls.get(id)!
    if (functionName === '(idle)') continue
    const where = url || functionName
    main[where] = (main[where] ?? 0) + (timeDeltas[at] ?? 0) / 1_000
  }
  return main
}

async function begin(path: string): Promise<void> {
  noteStatements()
  noteRequests()
  noteWorkers()
  await noteFiles()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS })
  let engineBefore = 0
  let endEngine: () => Promise<AtWork> = async () => ({})
  process.on('SIGUSR2', async () => {
    if (noted) {
      const spell = noted
      noted = undefined
      const engine = engineSoFar() - engineBefore
      const { profile } = await session.post('Profiler.stop')
      const whole: Noted = { ...spell, engine, atWork: await endEngine(), main: onMain(profile) }
      // Whoever waits for it reads it whole.
      writeFileSync(`${path}.new`, JSON.stringify(whole))
      renameSync(`${path}.new`, path)
      return
    }
    await session.post('Profiler.start')
    engineBefore = engineSoFar()
    if (workers.length > 0) endEngine = spellOfEngine()
    noted = { requests: [], statements: [], synced: [] }
    writeFileSync(path, 'begun')
  })
}

const path = process.env['BENCH_WHERE']
if (isMainThread && path) await begin(path)
// The thread of the embedded database is told by what it is given.
else if (path && 'turns' in ((workerData ?? {}) as object)) noteAtWork()
