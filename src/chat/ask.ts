/** One request to a chat provider, and the text of its answer. */
import type { Dispatcher } from 'undici'
import type { Prompt } from '../kernel/chat.ts'
import {
  malformed,
  post,
  refusedWith,
  type Asked,
  type ProviderTrouble,
  type Turned,
  type Until,
} from '../kernel/provider.ts'
import { MOST_TOKENS, PROTOCOLS } from './protocols.ts'
import type { Provider } from './provider.ts'

/** What came of one attempt. */
export type Attempt = { text: string } | { trouble: ProviderTrouble; mayPass: boolean }

/** Asks once. Trouble at the far end is a value; a request that cannot be built is a Refusal. */
export async function ask(
  dispatcher: Dispatcher,
  provider: Provider,
  prompt: Prompt,
  until: Until,
): Promise<Attempt> {
  const { protocol, key, model } = provider
  const { headers, body } = PROTOCOLS[protocol]
  const asked = askedOf(provider)
  const request = { headers: headers(key), body: body(model, prompt) }
  const answer = await post(dispatcher, asked, request, until)
  if ('cause' in answer) return { trouble: answer, mayPass: answer.kind === 'unreachable' }
  if ('status' in answer) return turned(asked, provider, answer)
  const text = textIn(provider, asked, answer.text)
  return typeof text === 'string' ? { text } : { trouble: text, mayPass: false }
}

const askedOf = ({ protocol, url, model }: Provider): Asked => ({
  subject: 'the chat provider',
  misconfigured: `the chat model is misconfigured: no request can be made of llm.${protocol}.*`,
  url,
  model,
})

function turned(asked: Asked, { protocol }: Provider, answer: Turned): Attempt {
  const { status } = answer
  if (status >= 300 && status < 400) {
    const where = `set llm.${protocol}.base_url to where it leads`
    const cause = `${asked.subject} redirects, which is not followed (status ${status}): ${where}`
    return { trouble: { kind: 'unavailable', cause }, mayPass: false }
  }
  return { trouble: refusedWith(asked, answer), mayPass: status === 429 || status >= 500 }
}

/** What some servers leave in the text of a model that thinks aloud before it answers. */
const THOUGHTS = /^\s*<think>[\s\S]*?<\/think>/

function textIn({ protocol }: Provider, asked: Asked, body: string): string | ProviderTrouble {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    return malformed(asked, 'something that is not JSON')
  }
  const said = PROTOCOLS[protocol].read(answer)
  if (!said) return malformed(asked, 'JSON that holds no text of a model')
  if (said.isCut) return malformed(asked, `a text that breaks off after ${MOST_TOKENS} tokens`)
  const text = said.text.replace(THOUGHTS, '').trim()
  return text === '' ? malformed(asked, 'an empty text') : text
}
