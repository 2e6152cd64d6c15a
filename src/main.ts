import { run } from './cli/loam.ts'

// A reader that goes away early, such as "head", wants no more: what cannot be printed then is no failure.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
  })
}

const code = await run(process.argv.slice(2))
// Left alone when all is well: a service goes on, and its end has a code of its own.
if (code !== 0) process.exitCode = code
