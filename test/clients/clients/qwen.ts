import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { byPrompts, environment, runOnce, type RealClient } from '../client.ts'

interface Said {
  type: string
  session_id?: string
  result?: string
}

const MODEL = 'qwen-played'

export const qwen: RealClient = {
  name: 'qwen',
  installed: 'qwen',
  model: MODEL,
  subagent: (prompt) => ({
    tool: 'agent',
    arguments: { description: 'look around', subagent_type: 'general-purpose', prompt },
  }),

  async prepare({ home }) {
    await mkdir(join(home, '.qwen'), { recursive: true })
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      model: { name: MODEL },
      // Else it asks the model whether another agent may be sent.
      tools: { approvalMode: 'yolo' },
    }
    await writeFile(join(home, '.qwen/settings.json'), JSON.stringify(settings, null, 2))
  },

  begin(place, begin) {
    const program = join(place.modules, '@qwen-code/qwen-code/cli-entry.js')
    const env = environment(place, {
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${place.model}/v1`,
      OPENAI_MODEL: MODEL,
    })
    return byPrompts(begin, async (prompt, { resume }) => {
      const how = ['--output-format', 'json', ...(resume ? ['--resume', resume] : [])]
      const command = [process.execPath, program, ...how, '-p', prompt]
      const { stdout } = await runOnce(command, { cwd: begin.cwd, env })
      const said = JSON.parse(stdout.slice(stdout.indexOf('['))) as Said[]
      const end = said.findLast(({ type }) => type === 'result')
      return { said: end?.result ?? '', session: end?.session_id ?? '' }
    })
  },
}
