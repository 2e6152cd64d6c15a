/** Who works at Wrenfield: the clients of its people, and the models behind them. */
import type { AgentOf } from './agent.ts'
import { drawn } from './days.ts'
import type { Random } from './random.ts'
import { checkoutOf } from './story/projects.ts'

const CREW = [
  { client: 'claude-code', models: ['claude-opus-5', 'claude-sonnet-5'], weight: 50 },
  { client: 'codex', models: ['gpt-6-codex', 'gpt-6-codex-mini'], weight: 20 },
  { client: 'opencode', models: ['claude-sonnet-5', 'kimi-k3'], weight: 9 },
  { client: 'gemini', models: ['gemini-3.5-pro'], weight: 8 },
  { client: 'qwen', models: ['qwen4-coder'], weight: 6 },
  { client: 'vscode', models: ['gpt-6', 'claude-sonnet-5'], weight: 4 },
  { client: 'cursor', models: ['composer-3'], weight: 3 },
] as const

export function crew(random: Random, project: string, wanted?: string): AgentOf {
  const one = drawn(random, CREW)
  const { client, models } = CREW.find(({ client }) => client === wanted) ?? one
  return {
    client,
    model: random.pick<string>(models),
    project,
    cwd: checkoutOf(project),
    external: random.uuid(),
    process: random.hex(32),
  }
}
