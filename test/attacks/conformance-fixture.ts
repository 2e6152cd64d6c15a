/** What the protocol's own suites ask of a test server, put behind our endpoint. */
import { randomUUID } from 'node:crypto'
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js'
import { refused, type Method } from '../../src/mcp/dispatch.ts'
import type { Message } from '../../src/mcp/message.ts'
import type { ReplyStream } from '../../src/mcp/reply-stream.ts'
import type { Extension } from '../../src/mcp/stateful.ts'

/** The client of a call, reached while the call is answered. */
interface Client {
  progressToken: unknown
  notify(method: string, params: object): void
  ask(method: string, params: object): Promise<unknown>
}
type TestTool = (args: Record<string, unknown>, client: Client) => Promise<CallToolResult>

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

const text = (words: string) => ({ type: 'text' as const, text: words })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
})
const answers = (...content: CallToolResult['content']): TestTool => {
  return async () => ({ content })
}
const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

async function elicit(
  client: Client,
  message: string,
  requestedSchema: Record<string, unknown>,
): Promise<{ action: string; content?: unknown }> {
  const params = { mode: 'form', message, requestedSchema }
  return ElicitResultSchema.parse(await client.ask('elicitation/create', params))
}

/** Asks the user and says what came of it. */
const asks = (message: string, properties: Record<string, unknown>): TestTool => {
  return async (_, client) => {
    const { action, content } = await elicit(client, message, { type: 'object', properties })
    const words = `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`
    return { content: [text(words)] }
  }
}

const titled = (...titles: string[]) =>
  titles.map((title, index) => ({ const: `value${index + 1}`, title }))

const TOOLS: Record<string, TestTool> = {
  test_simple_text: answers(text('This is a simple text response for testing.')),
  test_image_content: answers(image),
  test_audio_content: answers({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: answers(
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: answers(
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  async test_tool_with_logging(_, { notify }) {
    const log = (data: string) => notify('notifications/message', { level: 'info', data })
    log('Tool execution started')
    await pause()
    log('Tool processing data')
    await pause()
    log('Tool execution completed')
    return { content: [text('Tool with logging executed successfully')] }
  },
  async test_error_handling() {
    const words = 'This tool intentionally returns an error for testing'
    return { isError: true, content: [text(words)] }
  },
  async test_tool_with_progress(_, { notify, progressToken }) {
    for (const progress of [0, 50, 100]) {
      if (progressToken === undefined) continue
      notify('notifications/progress', { progressToken, progress, total: 100 })
      await pause()
    }
    return { content: [text(String(progressToken))] }
  },
  async test_sampling({ prompt }, { ask }) {
    const content = text(String(prompt))
    const params = { messages: [{ role: 'user' as const, content }], maxTokens: 100 }
    const answer = CreateMessageResultSchema.parse(await ask('sampling/createMessage', params))
    const said = answer.content.type === 'text' ? answer.content.text : answer.content.type
    return { content: [text(`LLM response: ${said}`)] }
  },
  async test_elicitation({ message }, client) {
    const field = (description: string) => ({ type: 'string', description })
    const { action, content } = await elicit(client, String(message), {
      type: 'object',
      properties: { username: field("User's response"), email: field("User's email address") },
      required: ['username', 'email'],
    })
    const words = `User response: action=${action}, content=${JSON.stringify(content ?? {})}`
    return { content: [text(words)] }
  },
  test_elicitation_sep1034_defaults: asks('Please review the defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: asks('Please choose', {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array',
      items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    },
    titledMulti: { type: 'array', items: { anyOf: titled('First Choice', 'Second', 'Third') } },
  }),
  json_schema_2020_12_tool: answers(text('understood')),
}

const PHONE_OR_EMAIL = [{ required: ['phone'] }, { required: ['email'] }]
const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: PHONE_OR_EMAIL }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

const listed = Object.keys(TOOLS).map((name) => ({
  name,
  description: `Of the protocol's own suite: ${name}`,
  inputSchema: name.startsWith('json_schema') ? JSON_SCHEMA : { type: 'object' },
}))

const user = (content: object) => ({ role: 'user', content })
const PROMPTS: Record<string, (args: Record<string, string>) => object[]> = {
  test_simple_prompt: () => [user(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => [
    user(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
    user(text('Please process the embedded resource above.')),
  ],
  test_prompt_with_image: () => [user(image), user(text('Please analyze the image above.'))],
}
const ARGUMENTS: Record<string, string[]> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
}

function read(uri: string): object | undefined {
  if (uri === 'test://static-text') {
    const words = 'This is the content of the static text resource.'
    return { uri, mimeType: 'text/plain', text: words }
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG }
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? []
  if (id === undefined) return undefined
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) }
}

const gives =
  (result: object): Method =>
  () => ({ result })

/** What our endpoint lacks of a server that the suites can ask everything. */
export function suiteFixture(): Extension {
  const waiting = new Map<unknown, (result: unknown) => void>()
  const clientOf = (reply: ReplyStream, progressToken: unknown): Client => ({
    progressToken,
    notify: (method, params) => reply.send({ method, params }),
    ask: (method, params) =>
      new Promise((resolve) => {
        const id = `ask-${randomUUID()}`
        waiting.set(id, resolve)
        reply.send({ id, method, params })
      }),
  })
  const methods: Record<string, Method> = {
    'tools/list': gives({ tools: listed }),
    async 'tools/call'({ params, reply }) {
      const { name, arguments: args = {}, _meta: meta } = params as unknown as CallParams
      const tool = TOOLS[name]
      if (!tool) return refused(ErrorCode.InvalidParams, `no tool ${name}`)
      return { result: await tool(args, clientOf(reply, meta?.progressToken)) }
    },
    'resources/list': gives({
      resources: ['test://static-text', 'test://static-binary', 'test://watched-resource'].map(
        (uri) => ({ uri, name: uri.slice('test://'.length), description: 'Of the suite' }),
      ),
    }),
    'resources/templates/list': gives({
      resourceTemplates: [
        { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Of the suite' },
      ],
    }),
    'resources/read'({ params: { uri } }) {
      const content = read(String(uri))
      if (content) return { result: { contents: [content] } }
      return { error: { code: -32_002, message: `no resource ${String(uri)}`, data: { uri } } }
    },
    'resources/subscribe': gives({}),
    'resources/unsubscribe': gives({}),
    'prompts/list': gives({
      prompts: Object.keys(PROMPTS).map((name) => ({
        name,
        description: 'Of the suite',
        arguments: (ARGUMENTS[name] ?? []).map((argument) => ({ name: argument, required: true })),
      })),
    }),
    'prompts/get'({ params }) {
      const { name, arguments: args = {} } = params as unknown as CallParams
      return { result: { messages: PROMPTS[name]!(args as Record<string, string>) } }
    },
    'completion/complete': gives({ completion: { values: [], total: 0, hasMore: false } }),
    'logging/setLevel': gives({}),
  }
  return {
    capabilities: {
      resources: { subscribe: true },
      prompts: {},
      completions: {},
      logging: {},
    },
    methods: new Map(Object.entries(methods)),
    hear({ id, result }: Message) {
      waiting.get(id)?.(result)
      waiting.delete(id)
    },
  }
}

interface CallParams {
  name: string
  arguments?: Record<string, unknown>
  _meta?: { progressToken?: unknown }
}
