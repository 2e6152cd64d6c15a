/** The generateContent protocol: Gemini CLI. */
import { event, JSON_TYPE, listOf, type Protocol, SSE, type Talk } from './turns.ts'

export const gemini: Protocol = {
  read(body, path) {
    const said: Talk['said'] = []
    for (const { role, parts } of listOf(body['contents'])) {
      for (const { text, functionCall } of listOf(parts)) {
        if (functionCall) for (const each of said) each.callsAfter += 1
        if (role === 'user' && typeof text === 'string') said.push({ text, callsAfter: 0 })
      }
    }
    const tools = listOf(body['tools']).flatMap((tool) =>
      listOf(tool['functionDeclarations']).map(({ name }) => String(name)),
    )
    const [, model = ''] = /models\/([^:/]+):/.exec(path) ?? []
    return { model, said, tools }
  },
  write(answer, { model, stream }) {
    const parts =
      'text' in answer
        ? [{ text: answer.text }]
        : answer.calls.map(({ id, name, arguments: args }) => ({
            functionCall: { id, name, args },
          }))
    const whole = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
      modelVersion: model,
    }
    return stream
      ? { type: SSE, body: event(whole) }
      : { type: JSON_TYPE, body: JSON.stringify(whole) }
  },
}
