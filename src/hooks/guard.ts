/**
 * The one guard of what hooks report. Nobody reads the answer to it, and no hook may fail: a text loses
 * what looks like a credential in it, and a name that holds one is none.
 */
import type { Kernel } from '../kernel/kernel.ts'
import { withoutSecrets } from '../text/secret-policy.ts'
import type { Payload } from './payload.ts'

/** Texts that are kept. A prompt is a question: the log alone keeps it, and masks it. */
const TEXTS = [
  'findings',
  'last_assistant_message',
  'plan_file_text',
  'report',
  'spawn_prompt',
] as const
/** Names that are kept beside them. */
const NAMES = ['agent_id', 'agent_type', 'model', 'reason', 'source'] as const

/** Returns the payload as it may be kept. The arguments and answers of tools are guarded when they are read. */
export function guardPayload(kernel: Kernel, payload: Payload): Payload {
  const guarded = { ...payload }
  for (const name of TEXTS) guarded[name] = withoutSecrets(kernel, payload[name])
  for (const name of NAMES) {
    if (withoutSecrets(kernel, payload[name]) !== payload[name]) guarded[name] = ''
  }
  return guarded
}

/** Returns a text out of the arguments or the answer of a tool as it may be kept. */
export const guardText = (kernel: Kernel, text: string): string => withoutSecrets(kernel, text)
