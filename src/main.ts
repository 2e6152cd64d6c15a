import { run } from './cli/loam.ts'

const code = await run(process.argv.slice(2))
// Left alone when all is well: a service goes on, and its end has a code of its own.
if (code !== 0) process.exitCode = code
