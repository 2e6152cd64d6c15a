import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { environment, type RealClient } from '../client.ts'

interface Said {
  type: string
  session_id?: string
  result?: string
  is_error?: boolean
}

const MODEL = 'claude-sonnet-4-5'

/** Claude Code without a terminal: one process for the whole conversation, a line of JSON for each message. */
export const claudeCode: RealClient = {
  name: 'claude-code',
  installed: 'claude',
  model: MODEL,
  planFile: /\S+\/\.claude\/plans\/[\w-]+\.md/,
  subagent: (prompt) => ({
    tool: 'Agent',
    arguments: {
      description: 'look around',
      subagent_type: 'general-purpose',
      run_in_background: false,
      prompt,
    },
  }),

  async prepare({ home }) {
    const settled = { hasCompletedOnboarding: true }
    await writeFile(join(home, '.claude.json'), JSON.stringify(settled))
  },

  begin({ modules, model, ...place }, { cwd, resume, fork, plans }) {
    const program = join(modules, '@anthropic-ai/claude-code/bin/claude.exe')
    const args = [
      ...['-p', '--verbose', '--model', MODEL, '--permission-mode', plans ? 'plan' : 'acceptEdits'],
      ...['--input-format', 'stream-json', '--output-format', 'stream-json'],
      ...(resume ? ['--resume', resume] : []),
      ...(fork ? ['--fork-session'] : []),
    ]
    const env = environment(
      { modules, model, ...place },
      {
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: 'sk-ant-none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    )
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    const ended = once(child, 'close')
    let [session, stderr] = [resume ?? '', '']
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const waiting: ((said: Said) => void)[] = []
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as Said
      session = said.session_id ?? session
      if (said.type === 'result') waiting.shift()?.(said)
    })
    const died = ended.then(([code]) => {
      throw new Error(`claude ended with ${String(code)}: ${stderr.slice(-2000)}`)
    })
    died.catch(() => {})

    return {
      async ask(prompt) {
        const message = { type: 'user', message: { role: 'user', content: prompt } }
        const answered = new Promise<Said>((resolve) => waiting.push(resolve))
        child.stdin.write(`${JSON.stringify(message)}\n`)
        return (await Promise.race([answered, died])).result ?? ''
      },
      session: () => session,
      async close() {
        child.stdin.end()
        await ended
      },
    }
  },
}
