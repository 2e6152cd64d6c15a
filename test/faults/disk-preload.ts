/**
 * Loaded before the service: while the file that TEST_DISK_TROUBLE names holds the name of a step, that
 * step fails with EIO for every file of knowledge, as on a device that has begun to die.
 */
import { existsSync, readFileSync } from 'node:fs'
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const trouble = process.env['TEST_DISK_TROUBLE']!
const KNOWLEDGE = /\/(?:loam-data|proc\/self\/fd\/\d+)\/(?:notes|memory)\//

type Step = 'open' | 'write' | 'sync' | 'rename' | 'sync directory' | 'read'

function passes(step: Step): void {
  if (!existsSync(trouble) || readFileSync(trouble, 'utf8') !== step) return
  throw Object.assign(new Error(`EIO: i/o error, ${step}`), { code: 'EIO', errno: -5 })
}

const { open, rename } = fs
fs.open = async (...given: Parameters<typeof open>) => {
  const [path, flags] = given
  if (!KNOWLEDGE.test(`${String(path)}/`)) return open(...given)
  if (flags === 'wx') passes('open')
  const handle = await open(...given)
  return failing(handle, (await handle.stat()).isDirectory())
}
fs.rename = async (from, to) => {
  if (KNOWLEDGE.test(String(to))) passes('rename')
  return rename(from, to)
}
syncBuiltinESMExports()

function failing(handle: FileHandle, directory: boolean): FileHandle {
  const { writeFile, readFile, sync } = handle
  return Object.assign(handle, {
    async writeFile(...given: Parameters<typeof writeFile>) {
      passes('write')
      return writeFile.apply(handle, given)
    },
    async readFile(...given: Parameters<typeof readFile>) {
      passes('read')
      return readFile.apply(handle, given)
    },
    async sync() {
      passes(directory ? 'sync directory' : 'sync')
      return sync.apply(handle)
    },
  })
}
