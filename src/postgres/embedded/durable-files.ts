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

/** The engine's own parameters without `-F`, which turns fsync off. */
export const DURABLE_PARAMETERS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'wal_sync_method=fsync'],
]

interface Node {
  name: string
}

/** What Emscripten's file system for Node is made of, as far as it is changed here. */
interface HostFiles {
  realPath(node: Node): string
  stream_ops: { fsync?: (stream: { nfd?: number; node: Node }) => number }
  node_ops: { rename: (node: Node, directory: Node, name: string) => void }
}

/**
 * A directory of this host as the engine's data directory, durable.
 *
 * `failed` is called when a write did not reach the disk. It must not return: the engine would go
 * on with pages that the system may have dropped.
 */
export function durableFiles(root: string, failed: (cause: unknown) => never): NodeFS {
  const files = new NodeFS(root)
  const init = files.init.bind(files)
  files.init = async (engine, options) => {
    const prepared = await init(engine, options)
    prepared.emscriptenOpts.preRun?.push((module) => {
      const { filesystems } = module.FS as unknown as { filesystems: { NODEFS: HostFiles } }
      makeDurable(filesystems.NODEFS, failed)
    })
    return prepared
  }
  return files
}

function makeDurable(host: HostFiles, failed: (cause: unknown) => never): void {
  host.stream_ops.fsync = (stream) => {
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
