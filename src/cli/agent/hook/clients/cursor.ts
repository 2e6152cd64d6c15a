/**
 * Cursor: a session is a conversation, its place is the first folder of the workspace, and contexts go
 * into `additional_context`. Who its user is stays on the machine.
 */
import { type HookClient, textOf } from '../client.ts'
import type { Payload } from '../payload.ts'

export const cursor: HookClient = {
  read(payload, event) {
    const { user_email: _, ...rest } = payload
    const isSubagent = event === 'subagent-start' || event === 'subagent-stop'
    return {
      ...rest,
      ...(isSubagent && {
        ...named(payload, 'agent_id', 'subagent_id', 'generation_id'),
        ...named(payload, 'agent_type', 'subagent_type'),
        ...named(payload, 'spawn_prompt', 'task'),
        ...named(payload, 'report', 'summary', 'result'),
      }),
      ...named(payload, 'session_id', 'parent_conversation_id', 'conversation_id', 'session_id'),
      ...named(payload, 'cwd', 'cwd'),
      ...(!textOf(payload, 'cwd') && firstRoot(payload)),
      ...(event === 'session-start' && { source: textOf(payload, 'source') ?? 'startup' }),
    }
  },

  answer({ systemMessage, hookSpecificOutput }) {
    const additional_context = hookSpecificOutput?.additionalContext
    return {
      continue: true,
      ...(additional_context && { additional_context }),
      ...(systemMessage && { user_message: systemMessage }),
    }
  },
}

/** The field under our name, from the first of theirs that holds a text. */
function named(payload: Payload, ours: string, ...theirs: readonly string[]): Payload {
  const value = textOf(payload, ...theirs)
  return value ? { [ours]: value } : {}
}

function firstRoot({ workspace_roots: roots }: Payload): Payload {
  const [root] = Array.isArray(roots) ? (roots as unknown[]) : []
  return typeof root === 'string' && root !== '' ? { cwd: root } : {}
}
