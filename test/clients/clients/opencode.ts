import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { byPrompts, environment, runOnce, type RealClient } from '../client.ts'

interface Said {
  type: string
  sessionID?: string
  part?: { text?: string }
}

export const opencode: RealClient = {
  name: 'opencode',
  installed: 'opencode',
  model: 'played/m1',
  subagent: (prompt) => ({
    tool: 'task',
    arguments: { description: 'look around', subagent_type: 'general', prompt },
  }),

  async prepare({ home, modules, model }) {
    const folder = join(home, '.config/opencode')
    await mkdir(folder, { recursive: true })
    const models = {
      m1: { name: 'm1', tool_call: true, limit: { context: 100_000, output: 9000 } },
    }
    const options = { baseURL: `${model}/v1`, apiKey: 'none' }
    const played = { npm: '@ai-sdk/openai-compatible', name: 'played', options, models }
    const config = {
      $schema: 'https://opencode.ai/config.json',
      model: 'played/m1',
      small_model: 'played/m1',
      autoupdate: false,
      share: 'disabled',
      provider: { played },
    }
    await writeFile(join(folder, 'opencode.json'), JSON.stringify(config, null, 2))
    await bringPluginPackage(folder, modules)
  },

  begin(place, begin) {
    const program = join(place.modules, 'opencode-ai/bin/opencode.exe')
    const env = environment(place, {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    })
    return byPrompts(begin, async (prompt, { resume }) => {
      const how = ['run', '--format', 'json', ...(resume ? ['--session', resume] : [])]
      const { stdout } = await runOnce([program, ...how, prompt], { cwd: begin.cwd, env })
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
      const events = lines.map((line) => JSON.parse(line) as Said)
      const session = events.find(({ sessionID }) => sessionID)?.sessionID ?? ''
      return { said: events.findLast(({ type }) => type === 'text')?.part?.text ?? '', session }
    })
  },
}

/** Beside a plugin it wants its own package, and waits for the registry at each start without it. */
async function bringPluginPackage(folder: string, modules: string): Promise<void> {
  const name = '@opencode-ai/plugin'
  const { version, dependencies } = (await import(join(modules, name, 'package.json'), {
    with: { type: 'json' },
  }).then(({ default: found }) => found)) as {
    version: string
    dependencies: Record<string, string>
  }
  for (const each of [name, ...Object.keys(dependencies)]) {
    await cp(join(modules, each), join(folder, 'node_modules', each), { recursive: true })
  }
  const wanted = { dependencies: { [name]: version } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(wanted, null, 2))
}
