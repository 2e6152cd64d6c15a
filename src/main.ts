import { run } from './cli/loam.ts'

await run(process.argv.slice(2))
