/** The machine that a command runs on. The program passes the real one, a test its own. */
import { homedir, tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import type { Environment } from '../config.ts'

export interface Machine {
  env: Environment
  /** The working directory. */
  cwd: string
  stdin: Readable
  stdout: Output
  stderr: Output
}

interface Output {
  /** Where it leads, when it is a file of the process. */
  fd?: number
  write(text: string): unknown
}

export const thisMachine = (): Machine => ({
  env: process.env,
  cwd: process.cwd(),
  // Node opens the stream on the first access; most commands never read from it.
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
})

export const homeOf = ({ env }: Pick<Machine, 'env'>): string => env['HOME'] || homedir()

/** The folder for temporary files. */
export const tempOf = ({ env }: Pick<Machine, 'env'>): string => env['TMPDIR'] || tmpdir()
