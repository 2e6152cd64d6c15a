import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * vitest's global set-up, behind that of the database: in a run of CI the code of the service is joined, as a service
 * has it done for its own next start. Tests start it some hundreds of times then, and each takes two thirds as long. A
 * room that is tested after each change does without.
 */
export async function setup(): Promise<void> {
  if (!process.env['CI']) return
  await run(process.execPath, [at('bin/join-code.mjs'), at('src/main.ts')])
}
