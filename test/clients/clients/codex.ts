import { globSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { byPrompts, environment, runOnce, type RealClient } from '../client.ts'

const MODEL = 'gpt-5.1-codex'

export const codex: RealClient = {
  name: 'codex',
  installed: 'codex',
  model: MODEL,
  subagent: (prompt) => ({ tool: 'spawn_agent', arguments: { message: prompt } }),

  async prepare({ home, model }) {
    await mkdir(join(home, '.codex'), { recursive: true })
    const lines = [
      `model = "${MODEL}"`,
      'model_provider = "played"',
      '',
      '[model_providers.played]',
      'name = "played"',
      `base_url = "${model}/v1"`,
      'wire_api = "responses"',
      'env_key = "PLAYED_KEY"',
      '',
    ]
    await writeFile(join(home, '.codex/config.toml'), lines.join('\n'))
  },

  begin(place, begin) {
    const packages = join(place.modules, '@openai')
    const [program = 'codex'] = globSync('codex-*/vendor/*/bin/codex', { cwd: packages })
    const env = environment(place, { PLAYED_KEY: 'none' })
    // A hook runs once its owner has trusted it, which takes a terminal. And on a machine that runs a
    // whole fleet the first request may not wait long enough for the tools.
    const trusted = [
      ...['--dangerously-bypass-hook-trust', '--skip-git-repo-check'],
      ...['-c', 'mcp_servers.loam.required=true'],
    ]
    return byPrompts(begin, async (prompt, { resume, fork }) => {
      const how = resume ? [fork ? 'fork' : 'resume', ...trusted, resume] : trusted
      const command = [join(packages, program), 'exec', ...how, prompt]
      const { stdout, stderr } = await runOnce(command, { cwd: begin.cwd, env })
      const [, session = ''] = /^session id: (\S+)$/m.exec(stderr) ?? []
      return { said: stdout.trim(), session }
    })
  },
}
