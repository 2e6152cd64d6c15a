/**
 * The embedded engine's file layer, with the fsync it lacks.
 *
 * As shipped its fsync does nothing and a power cut leaves stores that do not open again. Here each
 * fsync of the engine reaches the disk, for files and for directories.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/**
 * The engine's own parameters without `-F`, which turns fsync off. A checkpoint writes a new file for replication
 * unless there is none, and gives up where the disk is full. Kept are as many pieces of the log as `checkpoints.ts`
 * counts on, and no more after a large write.
 */
export const DURABLE_PARAMETERS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'wal_sync_method=fsync'],
  ...['-c', 'max_active_replication_origins=0'],
  ...['-c', 'min_wal_size=80MB', '-c', 'max_wal_size=96MB', '-c', 'wal_keep_size=0'],
]

interface Node {
  name: string
  /** The root of a mount is its own. */
  parent: Node
}

/** What Emscripten's file system for Node is made of, as far as it is changed here. */
interface HostFiles {
  realPath(node: Node): string
  stream_ops: { fsync?: (stream: { nfd?: number; node: Node }) => number }
  node_ops: { rename: (node: Node, directory: Node, name: string) => void }
}

/** What the files ask of the thread that they are in. */
export interface Watchman {
  /** Called before anything becomes durable, and before anything is replaced. Need not return. */
  look(): void
  /**
   * Called when a write did not reach the disk. It must not return: the engine would go on with pages
   * that the system may have dropped.
   */
  failed(cause: unknown): never
}

/** A directory of this host as the engine's data directory, durable. Its root may be a link of /proc. */
class DurableFiles extends NodeFS {
  constructor(root: string) {
    super(root)
    // The engine looks at its root without following a link.
    this.rootDir = `${root}/.`
  }
}

export function durableFiles(root: string, watchman: Watchman): NodeFS {
  const files = new DurableFiles(root)
  const init = files.init.bind(files)
  files.init = async (engine, options) => {
    const prepared = await init(engine, options)
    prepared.emscriptenOpts.preRun?.push((module) => {
      const { filesystems } = module.FS as unknown as { filesystems: { NODEFS: HostFiles } }
      makeDurable(filesystems.NODEFS, watchman)
    })
    return prepared
  }
  return files
}

function makeDurable(host: HostFiles, { look, failed }: Watchman): void {
  const realPath = host.realPath
  // Joining its parts has taken the dot away.
  host.realPath = (node) => (node.parent === node ? `${realPath(node)}/.` : realPath(node))
  host.stream_ops.fsync = (stream) => {
    look()
    try {
      if (stream.nfd !== undefined) fsyncSync(stream.nfd)
      else fsyncPath(host.realPath(stream.node))
    } catch (cause) {
      failed(cause)
    }
    return 0
  }
  const rename = host.node_ops.rename
  host.node_ops.rename = (node, directory, name) => {
    look()
    try {
      // The layer's own rename removes the target first: a crash in between would leave neither.
      renameSync(host.realPath(node), join(host.realPath(directory), name))
      node.name = name
    } catch {
      rename(node, directory, name)
    }
  }
}

export function fsyncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Brings everything below a directory, and its own name, to the disk: once, after it was made. */
export function fsyncTree(root: string): void {
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) fsyncPath(join(entry.parentPath, entry.name))
  }
  fsyncPath(root)
  fsyncPath(dirname(root))
}
