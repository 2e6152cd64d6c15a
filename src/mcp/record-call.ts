import type { Actor, Kernel } from '../kernel/kernel.ts'
import type { RefusalKind } from '../kernel/refusal.ts'
import { sessionHeartbeat } from '../sessions/sessions.ts'
import { maskValue } from '../text/secrets.ts'
import { showText } from '../text/show-text.ts'
import type { BoundSession } from './bound-session.ts'
import { toolCall } from './events.ts'
import type { Tool } from './tool.ts'

export interface CallRecord {
  tool: Tool
  session: BoundSession | null
  /** To whom the call is attributed. A guess is no sign of life. */
  actor: Actor
  /** The arguments exactly as they were sent. */
  sent: unknown
  milliseconds: number
  /** The text of the answer. */
  text: string
  failed: boolean
  /** The kind of the refusal, when it was one. */
  refused?: RefusalKind | undefined
}

/** Parameters whose values a write stores. */
const CONTENT = new Set(['body', 'content', 'text', 'edits', 'description', 'findings'])
const NOT_KEPT = '[not recorded: the write was refused]'

/**
 * Records the call and marks its session as alive. The answer does not wait for the masking, which
 * looks at every character.
 */
export function recordCall(kernel: Kernel, call: CallRecord): Promise<void> {
  const { tool, session, actor, milliseconds, text, failed, refused } = call
  if (actor.session) kernel.telemetry.seen(sessionHeartbeat, actor.session)
  const limit = kernel.config.budgets.tool_event_max_chars
  return kernel.telemetry.pushLater(toolCall, () => {
    const result = showText(text, limit)
    const args = shownArguments(call, limit)
    return {
      by: actor,
      project: session?.project ?? null,
      item: null,
      payload: {
        tool: tool.name,
        duration_ms: Math.round(milliseconds),
        ...(args && { args }),
        result,
        ...(failed && { is_error: true as const, error: result.split('\n', 1)[0]! }),
        ...(refused && { refused }),
      },
    }
  })
}

/** The arguments as sent, masked and cut, without what a refused write wanted to store. */
function shownArguments(
  { tool, sent, failed }: CallRecord,
  limit: number,
): Record<string, unknown> | undefined {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return undefined
  const entries = Object.entries(sent)
  if (entries.length === 0) return undefined
  const withhold = failed && !tool.hints.readOnly
  const kept = entries.map(([name, value]) => [
    name,
    withhold && CONTENT.has(name) ? NOT_KEPT : value,
  ])
  return maskValue(Object.fromEntries(kept), (text) => showText(text, limit)) as Record<
    string,
    unknown
  >
}
