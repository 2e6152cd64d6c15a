/** What a chat model answers, and what of it can be used. */
import type { Completion, Prompt } from '../../kernel/chat.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { unavailable } from '../../kernel/refusal.ts'
import { storable } from '../../kernel/schema/storable.ts'

/** An object of an answer, of which nothing is known yet. */
export type Said = Record<string, unknown>

export interface Asking {
  deadlineMs: number
  /** What the caller may do without a model. Ends the refusal. */
  instead: string
}

/** Asks, and refuses in words for the caller when nothing came of it. */
export async function askModel(
  kernel: Kernel,
  prompt: Prompt,
  { deadlineMs, instead }: Asking,
): Promise<Completion> {
  const answer = await kernel.chat.complete(prompt, { deadlineMs })
  if (!('cause' in answer)) return { ...answer, text: storable(withoutFence(answer.text)) }
  const { kind, cause } = answer
  if (kind !== 'off') kernel.log.warn({ cause }, 'the chat model gave no answer')
  throw unavailable(`${cause}; ${instead}`)
}

/** The same for an answer that is one JSON object. What stands around it is passed over. */
export async function askForObject(
  kernel: Kernel,
  prompt: Prompt,
  asking: Asking,
): Promise<{ said: Said; model: string }> {
  const { text, model } = await askModel(kernel, prompt, asking)
  const said = objectIn(text)
  if (said) return { said, model }
  throw unreadable(kernel, asking)
}

/** An answer that is not what was asked for. */
export function unreadable({ log }: Kernel, { instead }: Pick<Asking, 'instead'>): Error {
  log.warn('the chat model gave an answer that cannot be read')
  return unavailable(`the chat model gave an answer that cannot be read: ask again, or ${instead}`)
}

export const isObject = (value: unknown): value is Said =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The list of a field; undefined when it is none. */
export const listIn = (said: Said, field: string): unknown[] | undefined =>
  Array.isArray(said[field]) ? said[field] : undefined

/** The text of a field without blanks around it; '' when it is none. */
export const textIn = (said: Said, field: string): string => {
  const value = said[field]
  return typeof value === 'string' ? value.trim() : ''
}

/** Models put marks of code around an answer, whatever they were told. */
function withoutFence(text: string): string {
  const [, within] = /^```[^\n`]*\n([\s\S]*?)\n?```$/.exec(text.trim()) ?? []
  return (within ?? text).trim()
}

function objectIn(text: string): Said | undefined {
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  if (from < 0 || to < from) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1), (_, each: unknown) =>
      typeof each === 'string' ? storable(each) : each,
    )
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
