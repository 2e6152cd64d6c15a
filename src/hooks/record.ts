import type { Saved } from '../briefing/briefing.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import { showText } from '../text/show-text.ts'
import { estimateTokens } from '../text/text.ts'
import { retrievalInjected } from '../recall/recall.ts'
import type { Client } from './clients.ts'
import { hookPrompt } from './events.ts'
import type { Outcome } from './hook.ts'

interface Delivery {
  hook: string
  client: Client
  external_id: string
  /** Exactly what is sent. */
  content: string
  outcome: Outcome
}

const savings = ({ items, tokens }: Saved) => ({
  held_item_count: items,
  saved_estimated_tokens: tokens,
})

/** Records what was injected, or a prompt without a match. The answer does not wait for it. */
export function recordInjection(
  kernel: Kernel,
  { hook, client, external_id, content, outcome }: Delivery,
): void {
  const { session, injection, project = null, saved } = outcome
  const about = {
    by: session ? { session: session.id, model: session.model } : NOBODY,
    project,
    item: null,
  }
  const whose = { hook, claude_session_id: external_id, external_client: client }
  const held = saved && saved.items > 0 ? savings(saved) : {}
  const limit = kernel.config.budgets.tool_event_max_chars
  const prompt = outcome.prompt === undefined ? undefined : showText(outcome.prompt, limit)
  const ids = injection?.item_ids
  const queued = ids
    ? kernel.telemetry.push(retrievalInjected, {
        ...about,
        payload: {
          ...whose,
          content,
          item_ids: [...ids],
          item_ids_exact: content === injection.text || ids.length === 0,
          original_item_count: ids.length,
          original_estimated_tokens: estimateTokens(injection.text),
          emitted_estimated_tokens: estimateTokens(content),
          truncated: content !== injection.text,
          ...held,
          ...(prompt !== undefined && { prompt }),
        },
      })
    : prompt !== undefined
      ? kernel.telemetry.push(hookPrompt, {
          ...about,
          payload: { ...whose, prompt, matched: 'held_item_count' in held, ...held },
        })
      : undefined
  queued?.catch((err: unknown) => kernel.log.warn({ err, hook }, 'a hook was not recorded'))
}
