import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { secretsIn } from './secrets.ts'

/**
 * The hint for an agent that writes a credential down: its kind, never its text. The owner's setting
 * may refuse the write instead, or say nothing. Spread the result into the answer.
 */
export function noticeSecrets(
  { config }: Kernel,
  texts: readonly (string | undefined)[],
): { secret_hint?: string } {
  const { on_write } = config.secrets
  if (on_write === 'off') return {}
  const kinds = [...new Set(texts.flatMap((text) => secretsIn(text ?? '')))]
  if (kinds.length === 0) return {}
  const found = `this looks like ${kinds.join(', ')}`
  if (on_write === 'warn') {
    return { secret_hint: `${found}; every agent can read it. Write down where it is kept instead` }
  }
  throw invalid(`${found}, which is not kept here; write down where it is kept instead`)
}
