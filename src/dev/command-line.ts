/**
 * Writes docs/command-line.md from the commands themselves: `npm run docs`. With `--check` it writes
 * nothing, and the exit code says whether the file is up to date.
 */
import type { Command } from 'commander'
import { program } from '../cli/loam.ts'
import { writeOrCheck } from './generated.ts'

function* sections(command: Command, path: string): Generator<string> {
  yield `## ${path}\n\n\`\`\`\n${command.helpInformation().trimEnd()}\n\`\`\`\n`
  for (const below of command.commands) yield* sections(below, `${path} ${below.name()}`)
}

const text = `# Command line

Generated from \`src/cli/loam.ts\` by \`npm run docs\`; never edited by hand.

In a checkout \`loam\` is \`node bin/loam.mjs\`, which switches to the pinned Node when an older one started
it. Exit codes: 0 done, 1 failed, 2 a wrong command line.

Commands that need the store, such as \`reindex\`, \`export\` and \`plan list\`, ask the running process over its
owner-only socket. Without a running process they open the store themselves, under its lock. Only \`serve\`,
\`import\` and \`db copy --to\` make a store; where none stands, the others say where they looked. Which
service or store a command asks is written in [configuration](configuration.md), and on standard error.

${[...sections(await program(), 'loam')].join('\n')}`

await writeOrCheck(new URL('../../docs/command-line.md', import.meta.url), text)
