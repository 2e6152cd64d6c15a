/** Where a program runs: the folder of its user and its working directory. Neither has to be known to the system. */
import { homedir } from 'node:os'

/** The root for a user without a name, as containers start programs: nothing of anybody else lies there. */
export function homeIn(env: Readonly<Record<string, string | undefined>>): string {
  if (env['HOME']) return env['HOME']
  try {
    return homedir()
  } catch {
    return '/'
  }
}

/** A directory that was removed has no path any more; the shell still knows what it was. */
export function workingDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return process.env['PWD'] || '/'
  }
}
