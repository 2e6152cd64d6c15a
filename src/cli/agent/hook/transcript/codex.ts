/** What a rollout of Codex says. */
import { count, cut, head, type Line, tail, textOf, type Tokens } from './lines.ts'

/** The last thing Codex said, what it used so far, and its model. */
export function lastOfCodex(path: string): { findings?: string; tokens?: Tokens; model?: string } {
  const rollout = tail(path)
  const findings = rollout.map(saidByCodex).findLast((text) => text !== '')
  const used = rollout
    .filter(({ payload }) => payload?.['type'] === 'token_count')
    .map(({ payload }) => usedByCodex(payload?.['info']))
    .findLast((tokens) => tokens !== undefined)
  const model = rollout
    .filter(({ type }) => type === 'turn_context')
    .map(({ payload }) => payload?.['model'])
    .findLast((name) => typeof name === 'string' && name !== '')
  return {
    ...(findings && { findings: cut(findings) }),
    ...(used && { tokens: used }),
    ...(typeof model === 'string' && { model }),
  }
}

/** A Codex subagent's task, from its own rollout. */
export function firstAskedOfCodex(path: string): string | undefined {
  const asked = head(path).find(
    ({ type, payload }) => type === 'event_msg' && payload?.['type'] === 'user_message',
  )
  const message = asked?.payload?.['message']
  return typeof message === 'string' && message !== '' ? message : undefined
}

function saidByCodex({ payload }: Line): string {
  const said = {
    task_complete: payload?.['last_agent_message'],
    agent_message: payload?.['message'],
    message: payload?.['role'] === 'assistant' ? textOf(payload['content']) : '',
  }[String(payload?.['type'])]
  return typeof said === 'string' ? said.trim() : ''
}

function usedByCodex(info: unknown): Tokens | undefined {
  const { total_token_usage: used } = (info ?? {}) as {
    total_token_usage?: Record<string, unknown>
  }
  if (!used) return undefined
  const cached = count(used['cached_input_tokens'])
  return {
    input: Math.max(0, count(used['input_tokens']) - cached),
    cached,
    cache_creation: 0,
    output: count(used['output_tokens']),
  }
}
