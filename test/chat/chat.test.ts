import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openChat } from '../../src/chat/chat.ts'
import { chooseProvider } from '../../src/chat/provider.ts'
import { loadConfig, type Config } from '../../src/config.ts'
import type { ChatModel } from '../../src/kernel/chat.ts'
import type { ProviderTrouble } from '../../src/kernel/provider.ts'
import { openChatProvider } from '../helpers/chat-provider.ts'

const KEY = 'sk-test-of-the-provider'
const PROMPT = { system: 'Answer in one word.', user: 'What pulls the sea?' }
const log = pino({ level: 'silent' })
const provider = await openChatProvider()
const { origin } = provider
const opened: ChatModel[] = []
beforeEach(() => {
  provider.text = 'The moon.'
  provider.fault = undefined
  provider.requests.length = 0
})
afterAll(async () => {
  await Promise.all(opened.map((chat) => chat.close()))
  await provider.close()
})

const configOf = async (env: Record<string, string>): Promise<Config> =>
  (await loadConfig({ env: { HOME: '/nowhere', ...env }, cwd: '/nowhere' })).config

const OPENAI = { ...provider.env, LOAM_LLM_OPENAI_API_KEY: KEY }
const OLLAMA = {
  LOAM_LLM_PROVIDER: 'ollama',
  LOAM_LLM_OLLAMA_BASE_URL: origin,
  LOAM_LLM_OLLAMA_CHAT_MODEL: 'llama-test',
}
const ANTHROPIC = {
  LOAM_LLM_PROVIDER: 'anthropic',
  LOAM_LLM_ANTHROPIC_BASE_URL: `${origin}/`,
  LOAM_LLM_ANTHROPIC_CHAT_MODEL: 'claude-test',
  LOAM_LLM_ANTHROPIC_API_KEY: KEY,
}
const ALL = [
  ['openai', OPENAI],
  ['ollama', OLLAMA],
  ['anthropic', ANTHROPIC],
] as const

async function open(env: Record<string, string> = OPENAI): Promise<ChatModel> {
  const chat = openChat({ config: await configOf(env), log })
  opened.push(chat)
  return chat
}

const patient = { deadlineMs: 30_000 }

async function trouble(chat: ChatModel, how = patient): Promise<ProviderTrouble> {
  const answer = await chat.complete(PROMPT, how)
  if (!('cause' in answer)) throw new Error('the provider answered well')
  return answer
}

describe('which chat model is meant', () => {
  test.each([
    [{ LOAM_LLM_OPENAI_API_KEY: 'k' }, 'https://api.openai.com/v1/chat/completions', 'gpt-4o'],
    [
      {
        LOAM_LLM_OPENAI_BASE_URL: 'http://box:8080/v1/?v=2',
        LOAM_LLM_OPENAI_CHAT_MODEL: 'qwen',
      },
      'http://box:8080/v1/chat/completions?v=2',
      'qwen',
    ],
    [{ LOAM_LLM_PROVIDER: 'ollama' }, 'http://127.0.0.1:11434/api/chat', 'llama3.3:latest'],
    [
      { LOAM_LLM_PROVIDER: 'ollama', LOAM_LLM_OLLAMA_BASE_URL: 'http://gpu:11434' },
      'http://gpu:11434/api/chat',
      'llama3.3:latest',
    ],
    [
      { LOAM_LLM_PROVIDER: 'anthropic', LOAM_LLM_ANTHROPIC_API_KEY: 'k' },
      'https://api.anthropic.com/v1/messages',
      'claude-sonnet-5',
    ],
  ])('%o', async (env, url, model) => {
    const config = await configOf(env)
    const chosen = chooseProvider(config)
    if ('cause' in chosen) throw new Error(chosen.cause)
    expect({ url: chosen.url.href, model: chosen.model }).toEqual({ url, model })
    const chat = openChat({ config, log })
    expect(chat.state()).toEqual({ on: true, model, provider: config.llm.provider })
    await chat.close()
  })

  test.each([
    [{}, 'openai'],
    [{ LOAM_LLM_OPENAI_BASE_URL: 'https://api.openai.com/v1' }, 'openai'],
    [{ LOAM_EMBEDDINGS_API_KEY: 'k' }, 'openai'],
    [{ LOAM_LLM_PROVIDER: 'anthropic', LOAM_LLM_OPENAI_API_KEY: 'k' }, 'anthropic'],
  ])('none without the key that is needed: %o', async (env, name) => {
    const chat = openChat({ config: await configOf(env), log })
    const cause =
      `no chat model is set up: set llm.${name}.api_key (LOAM_LLM_${name.toUpperCase()}_API_KEY), ` +
      'or llm.provider and its settings'
    expect(chat.state()).toEqual({ on: false, cause, misconfigured: false })
    expect(await chat.complete(PROMPT, patient)).toEqual({ kind: 'off', cause })
    await chat.close()
  })

  test.each(['ftp://files', 'box:8080', 'not an address', 'http://'])(
    'an address that cannot be asked is a misconfiguration, known before anybody asks: %s',
    async (base) => {
      const config = await configOf(OPENAI)
      config.llm.openai.base_url = base
      expect(openChat({ config, log }).state()).toEqual({
        on: false,
        cause: 'llm.openai.base_url is not an http:// or https:// address',
        misconfigured: true,
      })
    },
  )

  test('a model without a name is a misconfiguration', async () => {
    const chat = await open({ ...OLLAMA, LOAM_LLM_OLLAMA_CHAT_MODEL: ' ' })
    expect(chat.state()).toMatchObject({ on: false, misconfigured: true })
  })

  test('a key of which no request can be made is refused in words', async () => {
    const chat = await open({ ...OPENAI, LOAM_LLM_OPENAI_API_KEY: 'sk-käy\u{2028}' })
    await expect(chat.complete(PROMPT, patient)).rejects.toThrow(
      'the chat model is misconfigured: no request can be made of llm.openai.*',
    )
  })
})

describe('an answer', () => {
  test('comes from OpenAI, and from what speaks its protocol', async () => {
    const answer = await (await open()).complete(PROMPT, patient)
    expect(answer).toEqual({ text: 'The moon.', model: 'gpt-test' })
    const [{ path, headers, body }] = provider.requests as [(typeof provider.requests)[0]]
    expect({ path, authorization: headers.authorization, body }).toEqual({
      path: '/v1/chat/completions',
      authorization: `Bearer ${KEY}`,
      body: {
        model: 'gpt-test',
        max_completion_tokens: 4096,
        messages: [
          { role: 'system', content: PROMPT.system },
          { role: 'user', content: PROMPT.user },
        ],
      },
    })
  })

  test('comes from a server of one’s own without a key', async () => {
    const answer = await (await open(provider.env)).complete(PROMPT, patient)
    expect(answer).toMatchObject({ text: 'The moon.' })
    expect(provider.requests[0]!.headers).not.toHaveProperty('authorization')
  })

  test('comes from Ollama, which is told to keep the whole question in mind', async () => {
    const chat = await open(OLLAMA)
    expect(await chat.complete(PROMPT, patient)).toEqual({
      text: 'The moon.',
      model: 'llama-test',
    })
    expect(provider.requests[0]).toMatchObject({
      path: '/api/chat',
      body: {
        model: 'llama-test',
        stream: false,
        options: { num_predict: 4096, num_ctx: 8192 },
        messages: [{ role: 'system' }, { role: 'user', content: PROMPT.user }],
      },
    })
    await chat.complete({ ...PROMPT, user: 'tide '.repeat(10_000) }, patient)
    expect(provider.requests[1]!.body['options'].num_ctx).toBe(32_768)
  })

  test('comes from Anthropic, behind what it thought', async () => {
    const chat = await open(ANTHROPIC)
    expect(await chat.complete(PROMPT, patient)).toEqual({
      text: 'The moon.',
      model: 'claude-test',
    })
    expect(provider.requests[0]).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
      body: {
        model: 'claude-test',
        max_tokens: 4096,
        system: PROMPT.system,
        messages: [{ role: 'user', content: PROMPT.user }],
      },
    })
    expect(provider.requests[0]!.headers).not.toHaveProperty('authorization')
  })

  test.each(ALL)('of %s loses the thoughts that stand before it', async (_, env) => {
    provider.text = '<think>\nThe sun? {no}\n</think>\n\nThe moon.\n'
    expect(await (await open(env)).complete(PROMPT, patient)).toMatchObject({ text: 'The moon.' })
  })
})

describe('trouble is a value with its exact cause', () => {
  const subject = 'the chat provider'
  const unknown = `${subject} does not know the model "gpt-test" or the path /v1/chat/completions`
  const redirects = `${subject} redirects, which is not followed (status 307)`
  const MALFORMED = `${subject} answers with`
  test.each([
    [{ status: 401 }, 'auth', `${subject} refuses the key (status 401)`],
    [{ status: 403 }, 'auth', `${subject} refuses the key (status 403)`],
    [{ status: 400 }, 'refused', `${subject} refuses the request (status 400)`],
    [{ status: 404 }, 'unavailable', `${unknown} (status 404)`],
    [{ status: 418 }, 'unavailable', `${subject} is in trouble (status 418)`],
    [
      { status: 307, headers: { location: `${origin}/elsewhere` } },
      'unavailable',
      `${redirects}: set llm.openai.base_url to where it leads`,
    ],
    [{ body: '<html>' }, 'malformed', `${MALFORMED} something that is not JSON`],
    [{ body: '' }, 'malformed', `${MALFORMED} something that is not JSON`],
    [{ body: '{"choices":[]}' }, 'malformed', `${MALFORMED} JSON that holds no text of a model`],
    [{ body: 'null' }, 'malformed', `${MALFORMED} JSON that holds no text of a model`],
    [
      { body: '{"error":{"message":"sk-leaked"}}' },
      'malformed',
      expect.stringContaining('no text'),
    ],
    [
      { body: '{"choices":[{"message":{"content":null,"refusal":"No."}}]}' },
      'malformed',
      `${MALFORMED} an empty text`,
    ],
    [{ cut: true }, 'malformed', `${MALFORMED} a text that breaks off after 4096 tokens`],
    [{ body: ' '.repeat(33 * 1024 * 1024) }, 'malformed', `${MALFORMED} more than 32 MiB`],
  ])('%#', async (fault, kind, cause) => {
    provider.fault = fault
    expect(await trouble(await open())).toEqual({ kind, cause })
    expect(provider.requests).toHaveLength(1)
  })

  test.each(ALL)('%s: an empty text, one that breaks off, and none at all', async (_, env) => {
    const chat = await open(env)
    const causes: string[] = []
    provider.text = ' \n'
    causes.push((await trouble(chat)).cause)
    provider.text = ''
    causes.push((await trouble(chat)).cause)
    provider.text = 'The mo'
    provider.fault = { cut: true }
    causes.push((await trouble(chat)).cause)
    provider.fault = { body: '{"done":true}' }
    causes.push((await trouble(chat)).cause)
    expect(causes).toEqual([
      `${MALFORMED} an empty text`,
      `${MALFORMED} an empty text`,
      `${MALFORMED} a text that breaks off after 4096 tokens`,
      `${MALFORMED} JSON that holds no text of a model`,
    ])
  })

  test('a slow provider is waited for until the deadline, over all attempts, and no longer', async () => {
    const chat = await open()
    provider.fault = { delay: 20_000 }
    expect(await trouble(chat, { deadlineMs: 200 })).toEqual({
      kind: 'slow',
      cause: 'the chat provider did not answer within 0.2 s',
    })
    expect(provider.requests).toHaveLength(1)
  })

  test('the deadline is one for all attempts', async () => {
    provider.fault = { status: 503, headers: { 'retry-after': '0' }, delay: 300 }
    expect(await trouble(await open(), { deadlineMs: 500 })).toMatchObject({ kind: 'slow' })
    expect(provider.requests.length).toBeLessThan(3)
  })

  test('a provider that is not there', async () => {
    const gone = await openChatProvider()
    await gone.close()
    const cause = 'the chat provider refuses connections'
    expect(await trouble(await open(gone.env))).toEqual({ kind: 'unreachable', cause })
  })

  test('after the end', async () => {
    const chat = await open()
    provider.fault = { delay: 20_000 }
    const asked = trouble(chat)
    await expect.poll(() => provider.requests.length).toBe(1)
    await chat.close()
    expect((await asked).kind).toBe('off')
    expect((await trouble(chat)).kind).toBe('off')
  })
})

describe('another attempt', () => {
  test.each(ALL)('of %s is made when it may help, and its answer counts', async (_, env) => {
    const chat = await open(env)
    provider.fault = { status: 500, times: 1 }
    expect(await chat.complete(PROMPT, patient)).toMatchObject({ text: 'The moon.' })
    expect(provider.requests).toHaveLength(2)

    provider.fault = { status: 429, headers: { 'retry-after': '0' }, times: 2 }
    expect(await chat.complete(PROMPT, patient)).toMatchObject({ text: 'The moon.' })
    expect(provider.requests).toHaveLength(5)
  })

  test('is the third at most', async () => {
    provider.fault = { status: 503, headers: { 'retry-after': '0' } }
    expect(await trouble(await open())).toEqual({
      kind: 'unavailable',
      cause: 'the chat provider is in trouble (status 503)',
      retryAfterMs: 0,
    })
    expect(provider.requests).toHaveLength(3)
  })

  test('waits as long as the provider wishes, in seconds or until a date', async () => {
    const chat = await open()
    const began = performance.now()
    for (const after of ['1', new Date(Date.now() + 2_000).toUTCString()]) {
      provider.fault = { status: 429, headers: { 'retry-after': after }, times: 1 }
      expect(await chat.complete(PROMPT, patient)).toMatchObject({ text: 'The moon.' })
    }
    expect(provider.requests).toHaveLength(4)
    // Timers may be early by less than a millisecond.
    expect(performance.now() - began).toBeGreaterThan(999)
  })

  test('is left to the caller when the wish is longer than 8 s, or than there is time', async () => {
    const chat = await open()
    provider.fault = { status: 429, headers: { 'retry-after': '120' } }
    expect(await trouble(chat)).toEqual({
      kind: 'throttled',
      cause: 'the chat provider asks for fewer requests (status 429)',
      retryAfterMs: 120_000,
    })
    provider.fault = { status: 503, headers: { 'retry-after': '7' } }
    expect(await trouble(chat, { deadlineMs: 5_000 })).toMatchObject({ retryAfterMs: 7_000 })
    expect(provider.requests).toHaveLength(2)
  })
})

test('the key and the words of the provider are in no cause', async () => {
  const chat = await open()
  for (const status of [400, 401, 403, 404, 429, 500]) {
    provider.fault = { status, headers: { 'retry-after': '0' } }
    expect((await trouble(chat)).cause).not.toContain('sk-')
  }
})
