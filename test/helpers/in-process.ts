/** A command in this process, on a machine of the test's own: no program is started. */
import { Readable } from 'node:stream'
import { run } from '../../src/cli/loam.ts'
import type { Environment } from '../../src/config.ts'
import { environment } from './service.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

export interface Where {
  /** Home and working directory. */
  folder: string
  env?: Record<string, string>
  /** What comes on standard input. */
  stdin?: string
}

/** Runs one command to its end, with nothing of the surrounding configuration. */
export const loam = async (args: readonly string[], { folder, env, stdin }: Where): Promise<Ran> =>
  runOn(args, { cwd: folder, env: await environment(folder, env), stdin })

/** Runs one command with exactly this environment. */
export async function runOn(
  args: readonly string[],
  { cwd, env, stdin = '' }: { cwd: string; env: Environment; stdin?: string | undefined },
): Promise<Ran> {
  let [stdout, stderr] = ['', '']
  const code = await run(args, {
    env,
    cwd,
    stdin: Readable.from(stdin === '' ? [] : [stdin]),
    stdout: { write: (text) => void (stdout += text) },
    stderr: { write: (text) => void (stderr += text) },
  })
  return { code, stdout, stderr }
}

/** The lines of an output, without the end of the last one. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.trimEnd().split('\n'))
