/** What a scripted model says: the parts that all wire protocols share. */

/** A call of a tool, named as Loam names it; the client's own prefix is found among the tools it offers. */
export interface ScriptedCall {
  tool: string
  /** Or what they become with what the model was asked, as JSON. */
  arguments: Record<string, unknown> | ((asked: string) => Record<string, unknown>)
}

/** One answer of the model: tools to call, or words, which end the run. */
export type Turn = { calls: ScriptedCall[] } | { text: string }

/** What a request holds that the script depends on, read by a protocol. */
export interface Talk {
  model: string
  /** Every text that a user's message holds, oldest first, and how many tools were called after it. */
  said: { text: string; callsAfter: number }[]
  tools: string[]
}

/** An answer as a protocol writes it. */
export interface Call {
  id: string
  name: string
  arguments: Record<string, unknown>
}
export type Answer = { calls: Call[] } | { text: string }

/** How one wire protocol reads a request and writes an answer. */
export interface Protocol {
  read(body: Record<string, unknown>, path: string): Talk
  write(answer: Answer, asked: { model: string; stream: boolean }): { type: string; body: string }
}

type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** One event of a stream; with a name where the protocol gives it one. */
export const event = (data: object, name?: string): string =>
  `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`

export const SSE = 'text/event-stream'
export const JSON_TYPE = 'application/json'
