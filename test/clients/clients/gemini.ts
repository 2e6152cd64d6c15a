import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { byPrompts, environment, runOnce, type RealClient } from '../client.ts'

const MODEL = 'gemini-2.5-pro'

export const gemini: RealClient = {
  name: 'gemini',
  installed: 'gemini',
  model: MODEL,

  async prepare({ home }) {
    await mkdir(join(home, '.gemini'), { recursive: true })
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      model: { name: MODEL },
    }
    await writeFile(join(home, '.gemini/settings.json'), JSON.stringify(settings, null, 2))
  },

  begin(place, begin) {
    const program = join(place.modules, '@google/gemini-cli/bundle/gemini.js')
    const env = environment(place, {
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: place.model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    })
    return byPrompts(begin, async (prompt, { resume }) => {
      const how = ['--output-format', 'json', ...(resume ? ['--resume', resume] : [])]
      const command = [process.execPath, program, ...how, '-p', prompt]
      const { stdout } = await runOnce(command, { cwd: begin.cwd, env })
      const { response, session_id } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
        response: string
        session_id: string
      }
      return { said: response, session: session_id }
    })
  },
}
