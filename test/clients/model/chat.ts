/** The chat completions protocol: opencode and Qwen Code. */
import { event, JSON_TYPE, listOf, type Protocol, SSE, type Talk } from './turns.ts'

export const chat: Protocol = {
  read(body) {
    const said: Talk['said'] = []
    for (const { role, content, tool_calls } of listOf(body['messages'])) {
      for (const each of said) each.callsAfter += listOf(tool_calls).length
      if (role !== 'user') continue
      const texts =
        typeof content === 'string' ? [content] : listOf(content).map(({ text }) => String(text))
      for (const text of texts) said.push({ text, callsAfter: 0 })
    }
    const tools = listOf(body['tools']).map((tool) => String((tool['function'] as any)?.name))
    return { model: String(body['model']), said, tools }
  },
  write(answer, { model, stream }) {
    const message =
      'text' in answer
        ? { role: 'assistant', content: answer.text }
        : {
            role: 'assistant',
            content: null,
            tool_calls: answer.calls.map(({ id, name, arguments: input }, index) => ({
              index,
              id: `call_${id}`,
              type: 'function',
              function: { name, arguments: JSON.stringify(input) },
            })),
          }
    const finish_reason = 'text' in answer ? 'stop' : 'tool_calls'
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    const common = { id: `chatcmpl-${Date.now()}`, created: Math.floor(Date.now() / 1000), model }
    if (!stream) {
      const choices = [{ index: 0, message, finish_reason }]
      const whole = { ...common, object: 'chat.completion', choices, usage }
      return { type: JSON_TYPE, body: JSON.stringify(whole) }
    }
    const chunk = (choices: object[], more: object = {}): string =>
      event({ ...common, object: 'chat.completion.chunk', choices, ...more })
    return {
      type: SSE,
      body:
        chunk([{ index: 0, delta: message, finish_reason: null }]) +
        chunk([{ index: 0, delta: {}, finish_reason }]) +
        chunk([], { usage }) +
        'data: [DONE]\n\n',
    }
  },
}
