/**
 * Writes docs/configuration.md from the schema: `npm run docs`. With `--check` it writes nothing, and
 * the exit code says whether the file is up to date.
 */
import { allowed, keysOf, variableOf } from '../config.ts'
import { CONFIG } from '../config/schema.ts'
import { writeOrCheck } from './generated.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

function rows(): string {
  return [...keysOf(CONFIG)]
    .map(([path, key]) => {
      const value = JSON.stringify(key.default) ?? ''
      const name = path.join('.')
      const variable = key.patternProperties ? 'file only' : `\`${variableOf(path)}\``
      const shown = name === 'mcp.api_key' ? 'generated' : `\`${value}\``
      const description = cell(key.description ?? '')
      return `| \`${name}\` | ${shown} | ${variable} | ${cell(allowed(key))} | ${description} |`
    })
    .join('\n')
}

const text = `# Configuration

Generated from \`src/config/schema.ts\` by \`npm run docs\`; never edited by hand.

A setting comes from three layers, and later ones win: the defaults below, one YAML file, the environment.
What is saved at run time overrides all of them: in \`/console/settings\`, which shows where each value comes from, or by
\`loam features\` and \`loam family\`.

**The file** of \`loam serve\`: \`--config\`, else \`LOAM_CONFIG\`, else \`./loam.yaml\`, else
\`~/.config/loam/loam.yaml\`. Keys nest: \`search.semantic_floor\` is

\`\`\`yaml
search:
  semantic_floor: 0.35
\`\`\`

**The environment**: \`LOAM_\` and the key's path in upper snake. Lists are separated by commas. An
empty variable counts as not set, except \`LOAM_MCP_API_KEY\`: an empty one refuses every request. The
service also reads \`DATABASE_URL\`, and \`LOAM_DATABASE_URL\` wins over it. A database that holds tables of another
program, and none of Loam's, is refused.

**Strict**: the service does not start with an unknown key or variable, a key without a value, a second YAML
document or a value that is not allowed. The message names it and the allowed values, and never shows the
value of a secret.

**Paths**: \`~\` is your home. A relative \`data_dir\` starts at the folder of the file, or at the
working directory when there is none or when it comes from the environment.

**The key**: without one, the service generates it into \`<data_dir>/api-key\`, which only its owner can read.
When \`addr\` or \`base_url\` is not loopback, the service refuses a key of fewer than 22 characters.

| Key | Default | Variable | Allowed | What it is |
|---|---|---|---|---|
${rows()}

Two further variables: \`LOAM_CONFIG\` names the file, and \`LOAM_URL\` the service that commands ask.

**What a command speaks of** is found by one rule; the first that there is counts:

1. \`--config\`: a configuration file, or a client file with the keys \`url\`, \`key_file\`, \`data_dir\` and \`config\`;
2. \`LOAM_URL\`, \`LOAM_CONFIG\`, \`LOAM_DATA_DIR\`;
3. \`~/.config/loam/client.yaml\`, which the first \`loam serve\` of a user writes; \`~/.config/loam/loam.yaml\`;
4. for the commands of the operator, what stands in the working directory: \`./loam.yaml\`, else \`./loam-data\`.

Each says on standard error what it asked, unless it gets \`--quiet\`. A variable of a key goes before the key
in a file, as always: \`LOAM_DATA_DIR\` before the \`data_dir\` of a configuration that \`--config\` names. Only
\`serve\`, \`import\` and \`db copy --to\` make a store, and \`serve\` alone takes no notice of a client file.

The commands of agents (\`recall\`, \`remember\`, \`prime\`, \`hook\`, \`bridge\` …) read no file of the working
directory: it may be the repository of a stranger, and the user's key and words would go to the address in it.
\`status\` asks a service that is named there, on this machine and with no key but the one beside it. For the
operator such a file names no store elsewhere, and no key of the environment is used with it.
`

await writeOrCheck(new URL('../../docs/configuration.md', import.meta.url), text)
