/**
 * Writes docs/configuration.md from the schema: `npm run docs`. With `--check` nothing is written
 * and the exit code says whether the file is up to date.
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

Layers, later ones win: the defaults below, one YAML file, the environment. What the console can
change at run time lies above all of them.

**The file**: \`--config\`, else \`LOAM_CONFIG\`, else \`./loam.yaml\`, else
\`~/.config/loam/loam.yaml\`. Keys nest: \`search.semantic_floor\` is

\`\`\`yaml
search:
  semantic_floor: 0.35
\`\`\`

**The environment**: \`LOAM_\` and the key's path in upper snake. Lists are separated by commas. A
variable that is set but empty counts as not set, except \`LOAM_MCP_API_KEY\`, where empty means that
every request is refused. \`DATABASE_URL\` is read too, beneath \`LOAM_DATABASE_URL\`.

**Strict**: an unknown key or variable, a key without a value, a second YAML document or a value that
is not allowed is named, with what is allowed, and nothing starts. The value of a secret is never
shown.

**Paths**: \`~\` is your home. A relative \`data_dir\` starts at the folder of the file, or at the
working directory when there is none or when it comes from the environment.

**The key**: left out, it is generated into \`<data_dir>/api-key\`, readable by its owner alone. Fewer
than 22 characters are refused when \`addr\` or \`base_url\` is not loopback.

| Key | Default | Variable | Allowed | What it is |
|---|---|---|---|---|
${rows()}

Beside these, \`LOAM_CONFIG\` names the file, and \`LOAM_URL\` tells client commands (\`loam bridge\`)
where the service is. Client commands read \`--config\` or \`LOAM_CONFIG\`, else
\`~/.config/loam/client.yaml\` with the keys \`url\` and \`key_file\`, which the first \`loam serve\` of a
user writes.
`

await writeOrCheck(new URL('../../docs/configuration.md', import.meta.url), text)
