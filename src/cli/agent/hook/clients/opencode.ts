/** opencode: its hooks are our own plugin, which speaks in our words. */
import { type HookClient, textOf } from '../client.ts'

export const opencode: HookClient = {
  /** A subagent is a session with a parent: its kind is not known, and its task is its first prompt. */
  read(payload, event) {
    if (event !== 'subagent-start') return payload
    const { prompt: spawn_prompt, ...rest } = payload
    return { ...rest, spawn_prompt, agent_type: textOf(payload, 'agent_type') ?? 'subagent' }
  },
}
