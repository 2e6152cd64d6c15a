/** Codex: the words of its hooks are ours. Its transcripts are rollouts, one for each thread. */
import { type HookClient, textOf } from '../client.ts'
import type { Payload } from '../payload.ts'

export const codex: HookClient = {
  adds: {
    /** The subagent has a rollout of its own, which begins with its task. */
    async 'subagent-start'(payload) {
      const path = textOf(payload, 'transcript_path')
      const { firstAskedOfCodex } = await import('../transcript/codex.ts')
      const spawn_prompt = path && firstAskedOfCodex(path)
      return { ...(spawn_prompt && { spawn_prompt }) }
    },
    stop: lastOf,
    'session-end': lastOf,
  },
}

async function lastOf(payload: Payload): Promise<Payload> {
  const path = textOf(payload, 'transcript_path')
  const { lastOfCodex } = await import('../transcript/codex.ts')
  const { model, ...last } = path ? lastOfCodex(path) : {}
  const findings = textOf(payload, 'last_assistant_message') ?? last.findings
  return { ...last, ...(findings && { findings }), ...(model && { model }) }
}
