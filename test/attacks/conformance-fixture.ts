/** What the protocol's own suites ask of a test server, put behind our endpoint. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type CallToolResult,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>
type TestTool = (args: Record<string, unknown>, extra: Extra) => Promise<CallToolResult>

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
  { sendRequest }: Extra,
  message: string,
  requestedSchema: Record<string, unknown>,
): Promise<{ action: string; content?: unknown }> {
  const params = { mode: 'form', message, requestedSchema } as never
  return sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema)
}

/** Asks the user and says what came of it. */
const asks = (message: string, properties: Record<string, unknown>): TestTool => {
  return async (_, extra) => {
    const { action, content } = await elicit(extra, message, { type: 'object', properties })
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
  async test_tool_with_logging(_, { sendNotification }) {
    const log = (data: string) =>
      sendNotification({ method: 'notifications/message', params: { level: 'info', data } })
    await log('Tool execution started')
    await pause()
    await log('Tool processing data')
    await pause()
    await log('Tool execution completed')
    return { content: [text('Tool with logging executed successfully')] }
  },
  async test_error_handling() {
    const words = 'This tool intentionally returns an error for testing'
    return { isError: true, content: [text(words)] }
  },
  async test_tool_with_progress(_, { sendNotification, _meta: meta }) {
    const progressToken = meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken === undefined) continue
      const params = { progressToken, progress, total: 100 }
      await sendNotification({ method: 'notifications/progress', params })
      await pause()
    }
    return { content: [text(String(progressToken))] }
  },
  async test_sampling({ prompt }, { sendRequest }) {
    const content = text(String(prompt))
    const params = { messages: [{ role: 'user' as const, content }], maxTokens: 100 }
    const answer = await sendRequest(
      { method: 'sampling/createMessage', params },
      CreateMessageResultSchema,
    )
    const said = answer.content.type === 'text' ? answer.content.text : answer.content.type
    return { content: [text(`LLM response: ${said}`)] }
  },
  async test_elicitation({ message }, extra) {
    const field = (description: string) => ({ type: 'string', description })
    const { action, content } = await elicit(extra, String(message), {
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

function read(uri: string): object {
  if (uri === 'test://static-text') {
    const words = 'This is the content of the static text resource.'
    return { uri, mimeType: 'text/plain', text: words }
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG }
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? []
  if (id === undefined) {
    throw Object.assign(new Error(`no resource ${uri}`), { code: -32_002, data: { uri } })
  }
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) }
}

/** Makes of our server one that the suites can ask everything. */
export function addFixture(server: Server): void {
  server.registerCapabilities({ resources: { subscribe: true }, prompts: {}, completions: {} })
  server.registerCapabilities({ logging: {} })
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: listed as never }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = TOOLS[params.name]
    if (!tool) throw Object.assign(new Error(`no tool ${params.name}`), { code: -32_602 })
    return tool(params.arguments ?? {}, extra)
  })
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: ['test://static-text', 'test://static-binary', 'test://watched-resource'].map(
      (uri) => ({ uri, name: uri.slice('test://'.length), description: 'Of the suite' }),
    ),
  }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Of the suite' },
    ],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => ({
    contents: [read(params.uri)] as never,
  }))
  server.setRequestHandler(SubscribeRequestSchema, async () => ({}))
  server.setRequestHandler(UnsubscribeRequestSchema, async () => ({}))
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({
      name,
      description: 'Of the suite',
      arguments: (ARGUMENTS[name] ?? []).map((argument) => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => ({
    messages: PROMPTS[params.name]!(params.arguments ?? {}) as never,
  }))
  server.setRequestHandler(CompleteRequestSchema, async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }))
  server.setRequestHandler(SetLevelRequestSchema, async () => ({}))
}
