/** The Responses protocol: Codex. */
import { event, isObject, JSON_TYPE, listOf, type Protocol, SSE, type Talk } from './turns.ts'

/** A tool within a namespace is called by both names. */
const SEPARATOR = '\u0000'

export const responses: Protocol = {
  read(body) {
    const said: Talk['said'] = []
    for (const { type, role, content } of listOf(body['input'])) {
      if (type === 'function_call') for (const each of said) each.callsAfter += 1
      if (type !== 'message' || role !== 'user') continue
      for (const { text } of listOf(content)) said.push({ text: String(text), callsAfter: 0 })
    }
    const tools = listOf(body['tools']).flatMap((tool) =>
      tool['type'] === 'namespace'
        ? listOf(tool['tools']).map(({ name }) => `${tool['name']}${SEPARATOR}${name}`)
        : [String(tool['name'] ?? tool['type'])],
    )
    return { model: String(body['model']), said, tools }
  },
  write(answer, { model, stream }) {
    const output =
      'text' in answer
        ? [
            {
              type: 'message',
              id: `msg_${Date.now()}`,
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: answer.text, annotations: [] }],
            },
          ]
        : answer.calls.map(({ id, name, arguments: input }) => {
            const [namespace, inner] = name.split(SEPARATOR)
            return {
              type: 'function_call',
              id: `fc_${id}`,
              call_id: `call_${id}`,
              status: 'completed',
              ...(inner ? { namespace, name: inner } : { name }),
              arguments: JSON.stringify(input),
            }
          })
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    }
    const response = { id: `resp_${Date.now()}`, object: 'response', model, status: 'completed' }
    const whole = { ...response, output, usage }
    if (!stream) return { type: JSON_TYPE, body: JSON.stringify(whole) }
    const of = (type: string, more: object): string => event({ type, ...more }, type)
    const items = output.map((item, output_index) => {
      const begun = isObject(item) ? { ...item, status: 'in_progress' } : item
      return (
        of('response.output_item.added', { output_index, item: begun }) +
        of('response.output_item.done', { output_index, item })
      )
    })
    const created = { ...response, status: 'in_progress', output: [] }
    return {
      type: SSE,
      body:
        of('response.created', { response: created }) +
        items.join('') +
        of('response.completed', { response: whole }),
    }
  },
}
