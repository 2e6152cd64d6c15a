/** The machine that a command runs on. The program passes the real one, a test its own. */
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import type { Environment } from '../config.ts'
import { homeIn, workingDirectory } from '../kernel/whereabouts.ts'
import { visible } from './visible.ts'

export interface Machine {
  env: Environment
  /** The working directory. */
  cwd: string
  stdin: Readable
  stdout: Output
  stderr: Output
}

export interface Output {
  /** Where it leads, when it is a file of the process. */
  fd?: number
  /** Whether a person looks at it. */
  isTTY?: boolean
  write(text: string): unknown
}

export const thisMachine = (): Machine => ({
  env: process.env,
  cwd: workingDirectory(),
  // Node opens the stream on the first access; most commands never read from it.
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
})

/**
 * The same output, on which a terminal acts on nothing that is printed: stored text, names and the words
 * of others go there. A file is treated alike, since somebody will look at it on a terminal.
 */
export const harmless = (output: Output): Output => ({
  ...(output.fd !== undefined && { fd: output.fd }),
  ...(output.isTTY && { isTTY: true }),
  write: (text) => output.write(visible(text)),
})

export const homeOf = ({ env }: Pick<Machine, 'env'>): string => homeIn(env)

/** The folder for temporary files. */
export const tempOf = ({ env }: Pick<Machine, 'env'>): string => env['TMPDIR'] || tmpdir()
