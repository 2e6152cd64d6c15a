/**
 * Modules of Node for programs that must start fast. An `import` of one makes all that it exports, and for
 * some of these Node loads far more than a hook ever uses: an import of `node:http` alone costs as much as
 * a whole start.
 */
export const fs = process.getBuiltinModule('node:fs')

export const http = (): typeof import('node:http') => process.getBuiltinModule('node:http')
export const https = (): typeof import('node:https') => process.getBuiltinModule('node:https')
export const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')
export const childProcess = (): typeof import('node:child_process') =>
  process.getBuiltinModule('node:child_process')

/** Milliseconds on a clock that nobody sets. The global `performance` loads ten modules for the same. */
export const now = (): number => process.uptime() * 1000

/** Returns the text of a file; undefined when there is none that can be read. */
export function textOfFile(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
