/**
 * The embedded database's thread: PostgreSQL compiled to WebAssembly, and many connections over its
 * one session. A query blocks this thread and no other.
 */
import { existsSync, mkdirSync, openAsBlob } from 'node:fs'
import { readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { PGliteOptions } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { unaccent } from '@electric-sql/pglite/contrib/unaccent'
import { vector } from '@electric-sql/pglite-pgvector'
import { buffersFor } from './buffers.ts'
import { causeInWords } from './cause.ts'
import { DURABLE_PARAMETERS, durableFiles, fsyncPath, fsyncTree } from './durable-files.ts'
import { holdCluster, type Ground } from './ground.ts'
import { lightEngine } from './light-parser.ts'
import { multiplex } from './multiplexer.ts'
import type { FromDatabase, Setup, ToDatabase } from './protocol.ts'
import { joined, query } from './wire.ts'

/** The PostgreSQL release of the engine. A cluster of another one does not open. */
const RELEASE = '18'

// Functions of the engine are compiled anew, to be faster, once they have run for long. Node does so on four threads at
// once: on two processors they took both, and a statement waited for 5 to 9 ms.
setFlagsFromString(`--wasm-num-compilation-tasks=${Math.max(1, availableParallelism() - 2)}`)

/** Whoever changes what calls begin with says so here; see `callers_changed`. */
const CALLERS = 'loam_callers'

const setup = workerData as Setup
const port = parentPort
if (!port) throw new Error('this file is the thread of the embedded database')
const turns = new Int32Array(setup.turns)
const worked = new BigInt64Array(setup.worked)
const changes = new Int32Array(setup.changes)
const report = (message: FromDatabase, handed: ArrayBuffer[] = []): void =>
  port.postMessage(message, handed)

// Compiled beside all else that a start does before it needs the engine.
const light = lightEngine()

/** What the engine complained of last: the only clue when it gives up. */
const complaints: string[] = []
const MOST_COMPLAINTS = 6

function fail(reason: string, cause: unknown): never {
  report({ say: 'failed', reason, cause: [causeInWords(cause), ...complaints].join('\n') })
  process.exit(1)
}

async function engine(options: PGliteOptions): Promise<PGlite> {
  const module = await light
  return PGlite.create({
    ...options,
    ...(module && { pgliteWasmModule: module }),
    extensions: { vector, btree_gin, pg_trgm, unaccent },
    onStderr: (line) => {
      if (!/FATAL|PANIC|ERROR|HINT|DETAIL/.test(line)) return false
      complaints.push(line)
      if (complaints.length > MOST_COMPLAINTS) complaints.shift()
      return false
    },
  })
}

const onDisk = (root: string, look: () => void, options: PGliteOptions = {}): Promise<PGlite> =>
  engine({
    ...options,
    fs: durableFiles(root, {
      look,
      failed: (cause) => fail('a write did not reach the disk', cause),
    }),
    startParams: [...DURABLE_PARAMETERS, ...buffersFor(root)],
  })

/** Ends the thread without another write when the cluster's name leads to something else. */
function standOn(ground: Ground): void {
  const leads = ground.leadsNow()
  if (leads === 'here') return
  report({ say: 'displaced', leads })
  process.exit(1)
}

/** Makes a whole cluster beside its place and puts it there in one step, so that a kill leaves none or all. */
async function make(cluster: string, options: PGliteOptions): Promise<void> {
  const [parent, name] = [dirname(cluster), basename(cluster)]
  // Asked for the way to a descriptor that was closed meanwhile, Node tries for ever.
  if (!existsSync(parent))
    mkdirSync(parent, { recursive: !parent.startsWith('/proc/'), mode: 0o700 })
  for (const left of readdirSync(parent)) {
    if (left.startsWith(`${name}.new-`)) rmSync(join(parent, left), { recursive: true })
  }
  const fresh = `${cluster}.new-${process.pid}`
  mkdirSync(fresh, { mode: 0o700 })
  const database = await onDisk(fresh, () => {}, options)
  await database.close()
  fsyncTree(fresh)
  renameSync(fresh, cluster)
  fsyncPath(parent)
}

async function open(): Promise<{ database: PGlite; identity: string | null }> {
  const { cluster, snapshot } = setup
  const first: PGliteOptions = snapshot ? { loadDataDir: await openAsBlob(snapshot) } : {}
  if (!cluster) return { database: await engine(first), identity: null }
  if (!existsSync(cluster.at)) await make(cluster.at, first)
  const release = readFileSync(join(cluster.at, 'PG_VERSION'), 'utf8').trim()
  if (release !== RELEASE) throw new Error(`it was made by PostgreSQL ${release}`)
  const ground = holdCluster(cluster)
  // Ours is the lock that counts, and it is held. The engine's own lock excludes nobody (its process
  // is always number 42), and a lock file that a kill left empty would keep it from opening again.
  rmSync(join(ground.root, 'postmaster.pid'), { force: true })
  const database = await onDisk(ground.root, () => standOn(ground))
  return { database, identity: ground.identity }
}

function serve(database: PGlite): void {
  const execute = (batch: Buffer): Buffer => {
    const answer: Buffer[] = []
    const began = process.hrtime.bigint()
    Atomics.add(turns, 0, 1)
    // Runs to its end before it returns; the promise is only for layers that sync afterwards.
    database
      .execProtocolRawStream(batch, {
        syncToFs: false,
        onRawData: (bytes) => void answer.push(Buffer.from(bytes)),
      })
      .catch((cause: unknown) => fail('it broke off', cause))
    Atomics.add(worked, 0, process.hrtime.bigint() - began)
    Atomics.add(turns, 0, 1)
    const [whole] = answer
    return whole && answer.length === 1 ? whole : Buffer.concat(answer)
  }
  const send = (connection: number, parts: readonly Uint8Array[]): void => {
    const bytes = joined(parts)
    report({ say: 'bytes', connection, bytes }, [bytes.buffer])
  }
  const close = (connection: number): void => report({ say: 'gone', connection })
  const heard = (channel: string): void => {
    if (channel === CALLERS) Atomics.add(changes, 0, 1)
  }
  execute(query(`listen ${CALLERS}`))
  const connections = multiplex(execute, { send, close, heard }, setup)

  const hear = async (message: ToDatabase): Promise<void> => {
    if (message.say === 'bytes') {
      const { buffer, byteOffset, byteLength } = message.bytes
      connections.receive(message.connection, Buffer.from(buffer, byteOffset, byteLength))
    } else if (message.say === 'gone') connections.drop(message.connection)
    else if (message.say === 'dump') {
      execute(query('checkpoint'))
      const tar = await database.dumpDataDir('none')
      await writeFile(message.file, Buffer.from(await tar.arrayBuffer()))
      report({ say: 'dumped', problem: null })
    } else {
      execute(query('rollback'))
      execute(query('checkpoint'))
      await database.close()
      report({ say: 'closed' })
      process.exit(0)
    }
  }
  port?.on('message', (message: ToDatabase) => {
    hear(message).catch((cause: unknown) => {
      if (message.say === 'dump') report({ say: 'dumped', problem: causeInWords(cause) })
      else fail('it broke off', cause)
    })
  })
}

try {
  const { database, identity } = await open()
  serve(database)
  report({ say: 'ready', identity })
} catch (cause) {
  fail('it does not open', cause)
}
