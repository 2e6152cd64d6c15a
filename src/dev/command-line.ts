/**
 * Writes docs/command-line.md from the commands themselves: `npm run docs`. With `--check` nothing
 * is written and the exit code says whether the file is up to date.
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

In a checkout \`loam\` is \`node bin/loam.mjs\`, which runs itself on the pinned Node when it is
started on an older one. Exit codes: 0 done, 1 failed, 2 the command line was not understood.

Commands that need the store (\`reindex\`, \`db copy\`, \`map-repo\`, \`family\`, \`doctor\`) speak to the running process over its
owner-only socket; with none running they open the store themselves, under its lock.

${[...sections(program(), 'loam')].join('\n')}`

await writeOrCheck(new URL('../../docs/command-line.md', import.meta.url), text)
