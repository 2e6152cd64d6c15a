/**
 * What becomes of text that looks like a credential, as the owner's setting says. Only the places where
 * text enters ask here (`test/house/guard.test.ts` lists them): what has entered was judged.
 */
import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { holdsSecret, maskSecrets, secretsIn } from './secrets.ts'

type Owner = Pick<Kernel, 'config'>

/**
 * Text with an author who reads the answer: the hint says what kind of credential it holds, never its
 * text. The owner's setting may refuse the write instead, or say nothing.
 */
export function noticeSecrets(
  { config }: Owner,
  texts: readonly string[],
): { secret_hint?: string } {
  const { on_write } = config.secrets
  if (on_write === 'off') return {}
  const kinds = [...new Set(texts.flatMap(secretsIn))]
  if (kinds.length === 0) return {}
  const found = `this looks like ${kinds.join(', ')}`
  if (on_write === 'warn') {
    return { secret_hint: `${found}; every agent can read it. Write down where it is kept instead` }
  }
  throw invalid(`${found}, which is not kept here; write down where it is kept instead`)
}

/** Text that nobody chose, or whose author reads no answer: a credential in it is masked. */
export const withoutSecrets = ({ config }: Owner, text: string): string =>
  config.secrets.on_write === 'off' ? text : maskSecrets(text)

/** Whether the owner wants no such text kept. */
export const refusesText = ({ config }: Owner, text: string): boolean =>
  config.secrets.on_write === 'refuse' && holdsSecret(text)
