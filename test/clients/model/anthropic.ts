/** The Messages protocol: Claude Code. */
import { event, isObject, JSON_TYPE, listOf, type Protocol, SSE, type Talk } from './turns.ts'

export const anthropic: Protocol = {
  read(body) {
    const said: Talk['said'] = []
    for (const { role, content } of listOf(body['messages'])) {
      const blocks =
        typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
      if (role === 'user') {
        for (const { type, text } of blocks) {
          if (type === 'text') said.push({ text: String(text), callsAfter: 0 })
        }
        continue
      }
      const calls = blocks.filter(({ type, name }) => type === 'tool_use' && name !== 'ToolSearch')
      for (const each of said) each.callsAfter += calls.length
    }
    const tools = listOf(body['tools']).map(({ name }) => String(name))
    return { model: String(body['model']), said, tools }
  },
  write(answer, { model, stream }) {
    const blocks =
      'text' in answer
        ? [{ type: 'text', text: answer.text }]
        : answer.calls.map(({ id, name, arguments: input }) => ({
            type: 'tool_use',
            id: `toolu_${id}`,
            name,
            input,
          }))
    const usage = { input_tokens: 10, output_tokens: 10 }
    const message = { id: `msg_${Date.now()}`, type: 'message', role: 'assistant', model, usage }
    const stop_reason = 'text' in answer ? 'end_turn' : 'tool_use'
    if (!stream) {
      const whole = { ...message, content: blocks, stop_reason, stop_sequence: null }
      return { type: JSON_TYPE, body: JSON.stringify(whole) }
    }
    const of = (type: string, more: object): string => event({ type, ...more }, type)
    const start = { ...message, content: [], stop_reason: null, stop_sequence: null }
    const parts = blocks.map((block, index) => {
      const input = 'input' in block && isObject(block.input) ? block.input : undefined
      const empty = input ? { ...block, input: {} } : { ...block, text: '' }
      const delta = input
        ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
        : { type: 'text_delta', text: 'text' in block ? block.text : '' }
      return (
        of('content_block_start', { index, content_block: empty }) +
        of('content_block_delta', { index, delta }) +
        of('content_block_stop', { index })
      )
    })
    const end =
      of('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }) +
      of('message_stop', {})
    return { type: SSE, body: of('message_start', { message: start }) + parts.join('') + end }
  },
}
