import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig, type Config } from '../../src/config.ts'
import { openEmbedder } from '../../src/embeddings/embeddings.ts'
import { chooseProvider } from '../../src/embeddings/provider.ts'
import { isTrouble, type Embedder, type EmbedTrouble } from '../../src/kernel/embedder.ts'
import { retryAfterMs } from '../../src/kernel/provider.ts'
import { putSetting } from '../../src/kernel/settings.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openProvider, wordVector } from '../helpers/provider.ts'

const KEY = 'sk-test-of-the-provider'
const log = pino({ level: 'silent' })
const database = await openTestDatabase()
const { db } = database
const provider = await openProvider({ dims: 8 })
const opened: Embedder[] = []
beforeEach(async () => {
  provider.fault = undefined
  provider.requests.length = 0
  await db.deleteFrom('settings').execute()
  await db.deleteFrom('models').execute()
})
afterAll(async () => {
  await Promise.all(opened.map((embedder) => embedder.close()))
  await provider.close()
  await database.close()
})

const configOf = async (env: Record<string, string>): Promise<Config> =>
  (await loadConfig({ env: { HOME: '/nowhere', ...env }, cwd: '/nowhere' })).config

async function open(env: Record<string, string> = {}): Promise<Embedder> {
  const config = await configOf({ ...provider.env, LOAM_EMBEDDINGS_API_KEY: KEY, ...env })
  const embedder = await openEmbedder({ db, config, log })
  opened.push(embedder)
  return embedder
}

const once = { deadlineMs: 20_000, attempts: 1 }

async function trouble(embedder: Embedder, how = once): Promise<EmbedTrouble> {
  const answer = await embedder.embed(['one', 'two'], how)
  if (!isTrouble(answer)) throw new Error('the provider answered well')
  return answer
}

describe('which provider is meant', () => {
  const named = { LOAM_EMBEDDINGS_PROVIDER: 'openai' }
  test.each([
    [
      { LOAM_EMBEDDINGS_API_KEY: 'k' },
      'https://api.openai.com/v1/embeddings',
      'text-embedding-3-large',
      1024,
    ],
    [
      { LOAM_EMBEDDINGS_API_KEY: 'k', LOAM_EMBEDDINGS_DIMS: '256' },
      'https://api.openai.com/v1/embeddings',
      'text-embedding-3-large',
      256,
    ],
    [
      { LOAM_EMBEDDINGS_BASE_URL: 'http://box:8080/v1/', LOAM_EMBEDDINGS_MODEL: 'bge' },
      'http://box:8080/v1/embeddings',
      'bge',
      0,
    ],
    [
      { LOAM_EMBEDDINGS_BASE_URL: 'http://127.0.0.1:11434' },
      'http://127.0.0.1:11434/api/embed',
      'qwen3-embedding:8b',
      0,
    ],
    [
      { LOAM_EMBEDDINGS_BASE_URL: 'http://127.0.0.1:11434/v1' },
      'http://127.0.0.1:11434/v1/embeddings',
      'text-embedding-3-large',
      0,
    ],
    [
      { LOAM_EMBEDDINGS_PROVIDER: 'ollama' },
      'http://127.0.0.1:11434/api/embed',
      'qwen3-embedding:8b',
      0,
    ],
    [
      { LOAM_LLM_OPENAI_API_KEY: 'k' },
      'https://api.openai.com/v1/embeddings',
      'text-embedding-3-large',
      1024,
    ],
    [
      { LOAM_LLM_OLLAMA_BASE_URL: 'http://gpu:11434' },
      'http://gpu:11434/api/embed',
      'qwen3-embedding:8b',
      0,
    ],
    [
      { ...named, LOAM_LLM_OPENAI_API_KEY: 'k' },
      'https://api.openai.com/v1/embeddings',
      'text-embedding-3-large',
      1024,
    ],
    [
      {
        LOAM_LLM_OPENAI_API_KEY: 'k',
        LOAM_LLM_OLLAMA_BASE_URL: 'http://gpu:11434',
        LOAM_LLM_PROVIDER: 'ollama',
      },
      'http://gpu:11434/api/embed',
      'qwen3-embedding:8b',
      0,
    ],
  ])('%o', async (env, url, model, dims) => {
    const chosen = chooseProvider(await configOf(env), 'auto')
    if (!('url' in chosen)) throw new Error('no address')
    expect({ url: chosen.url.href, model: chosen.model, dims: chosen.dims }).toEqual({
      url,
      model,
      dims,
    })
  })

  test('a key goes only to the address it was configured with', async () => {
    const env = { LOAM_EMBEDDINGS_BASE_URL: 'http://box:1/v1', LOAM_LLM_OPENAI_API_KEY: 'secret' }
    expect(chooseProvider(await configOf(env), 'auto')).toMatchObject({ key: '' })
  })

  test.each([
    [{ LOAM_EMBEDDINGS_PROVIDER: 'off' }, 'auto', /^embeddings\.provider is off$/, true],
    [{ LOAM_EMBEDDINGS_API_KEY: 'k' }, 'off', /^switched off by the owner/, true],
    [
      named,
      'auto',
      /^the key of the embedding provider is missing: set embeddings\.api_key/,
      false,
    ],
    [
      { LOAM_LLM_OPENAI_BASE_URL: 'https://api.openai.com/v1' },
      'auto',
      /^the key .* is missing/,
      false,
    ],
  ])('none with %o and the switch on %s', async (env, mode, cause, chosen) => {
    const none = chooseProvider(await configOf(env), mode)
    expect(none).toEqual({ cause: expect.stringMatching(cause), misconfigured: false, chosen })
  })

  test.each<Record<string, string>>([
    {},
    { LOAM_LLM_PROVIDER: 'anthropic', LOAM_LLM_ANTHROPIC_API_KEY: 'k' },
    { LOAM_EMBEDDINGS_PROVIDER: 'store', LOAM_EMBEDDINGS_API_KEY: 'k' },
  ])('what is learned of the store itself with %o', async (env) => {
    expect(chooseProvider(await configOf(env), 'auto')).toEqual({ protocol: 'store' })
    expect(chooseProvider(await configOf(env), 'off')).toMatchObject({ chosen: true })
  })

  test('an address that cannot be asked is a misconfiguration', async () => {
    const config = await configOf({ LOAM_EMBEDDINGS_API_KEY: 'k' })
    config.embeddings.base_url = 'ftp://files'
    expect(chooseProvider(config, 'auto')).toMatchObject({ misconfigured: true, chosen: false })
    const embedder = await openEmbedder({ db, config, log })
    expect(embedder.state()).toMatchObject({ on: false, misconfigured: true })
  })
})

describe('vectors', () => {
  test('come in the order of the texts, of length 1, under the name of their model', async () => {
    const embedder = await open()
    expect(embedder.state()).toEqual({ on: true, model: 'words', dims: 0, number: 0 })

    const answer = await embedder.embed(['the tide', 'the moon'], once)

    if (isTrouble(answer)) throw new Error(answer.cause)
    for (const [i, text] of ['the tide', 'the moon'].entries()) {
      const expected = wordVector('words ', text, 8)
      const length = Math.hypot(...expected)
      const near = answer.vectors[i]!.reduce(
        (sum, part, n) => sum + (part * expected[n]!) / length,
        0,
      )
      expect(near).toBeCloseTo(1, 5)
      expect(Math.hypot(...answer.vectors[i]!)).toBeCloseTo(1, 5)
    }
    const row = await db.selectFrom('models').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ number: answer.model, learned: false, name: 'words@8', dims: 8 })
    expect(embedder.state()).toEqual({ on: true, model: 'words', dims: 8, number: answer.model })
    expect(provider.requests[0]).toMatchObject({
      path: '/v1/embeddings',
      authorization: `Bearer ${KEY}`,
    })
  })

  test('come from Ollama by its own protocol', async () => {
    const embedder = await open({
      LOAM_EMBEDDINGS_PROVIDER: 'ollama',
      LOAM_EMBEDDINGS_BASE_URL: `http://127.0.0.1:${provider.port}`,
    })
    expect(await embedder.embed(['tide'], once)).toMatchObject({ vectors: [{ length: 8 }] })
    expect(provider.requests[0]!.path).toBe('/api/embed')
  })

  test('a text is read to its 8,000th character, which is not torn', async () => {
    const embedder = await open()
    await embedder.embed(['🌊'.repeat(9_000)], once)
    expect(provider.requests[0]!.texts[0]).toBe('🌊'.repeat(8_000))
  })

  test('keep their number over restarts', async () => {
    const first = await (await open()).embed(['tide'], once)
    const again = await open()
    expect(again.state()).toEqual({
      on: true,
      model: 'words',
      dims: 8,
      number: (first as { model: number }).model,
    })
  })
})

describe('trouble is a value with its exact cause', () => {
  test.each([
    [{ status: 401 }, 'auth', 'the embedding provider refuses the key (status 401)'],
    [{ status: 403 }, 'auth', 'the embedding provider refuses the key (status 403)'],
    [
      { status: 404 },
      'unavailable',
      'the embedding provider does not know the model "words" or the path /v1/embeddings (status 404)',
    ],
    [{ status: 400 }, 'refused', 'the embedding provider refuses the request (status 400)'],
    [{ status: 429 }, 'throttled', 'the embedding provider asks for fewer requests (status 429)'],
    [{ status: 500 }, 'unavailable', 'the embedding provider is in trouble (status 500)'],
    [{ status: 302 }, 'unavailable', 'the embedding provider is in trouble (status 302)'],
    [
      { body: '<html>' },
      'malformed',
      'the embedding provider answers with something that is not JSON',
    ],
    [
      { body: '{"data":[{"embedding":"AAAA"}]}' },
      'malformed',
      'the embedding provider answers with JSON that holds no vectors',
    ],
    [
      { body: '{"data":[{"embedding":[1,2]}]}' },
      'malformed',
      'the embedding provider answers with 1 vectors for 2 texts',
    ],
    [
      { body: '{"data":[{"embedding":[1,2]},{"embedding":[1]}]}' },
      'malformed',
      'the embedding provider answers with vectors of different lengths',
    ],
    [
      { body: '{"data":[{"embedding":[]},{"embedding":[]}]}' },
      'malformed',
      'the embedding provider answers with empty vectors',
    ],
    [
      { dims: 4001 },
      'dimensions',
      'the embedding provider gives vectors of 4001 dimensions and at most 4000 can be kept: set embeddings.dims',
    ],
  ])('%o', async (fault, kind, cause) => {
    const embedder = await open()
    provider.fault = fault
    expect(await trouble(embedder)).toEqual({ kind, cause })
    expect(provider.requests).toHaveLength(1)
  })

  test('other dimensions than configured are refused', async () => {
    const embedder = await open({ LOAM_EMBEDDINGS_DIMS: '16' })
    provider.fault = { dims: 12 }
    const cause =
      'the embedding provider gives vectors of 12 dimensions instead of the 16 configured'
    expect(await trouble(embedder)).toEqual({ kind: 'dimensions', cause })
  })

  test('other dimensions than before are refused, until the owner has all made again', async () => {
    const embedder = await open()
    await embedder.embed(['tide'], once)
    provider.fault = { dims: 12 }
    const cause =
      'the embedding provider gives vectors of 12 dimensions and gave 8 before: if the model has changed, run "loam embeddings reembed"'
    expect(await trouble(embedder)).toEqual({ kind: 'dimensions', cause })

    await embedder.forgetDims()
    expect(isTrouble(await embedder.embed(['tide'], once))).toBe(false)
    expect(embedder.state()).toMatchObject({ dims: 12 })
  })

  test('a slow provider is waited for until the deadlineMs and no longer', async () => {
    const embedder = await open()
    provider.fault = { delay: 20_000 }
    const cause = 'the embedding provider did not answer within 0.2 s'
    expect(await trouble(embedder, { deadlineMs: 200, attempts: 1 })).toEqual({
      kind: 'slow',
      cause,
    })
  })

  test('a provider that is not there', async () => {
    const gone = await openProvider()
    await gone.close()
    const embedder = await open(gone.env)
    const cause = 'the embedding provider refuses connections'
    expect(await trouble(embedder)).toEqual({ kind: 'unreachable', cause })
  })

  test('an answer past 32 MiB is not read to its end', async () => {
    const embedder = await open()
    provider.fault = { body: ' '.repeat(33 * 1024 * 1024) }
    expect(await trouble(embedder)).toMatchObject({ kind: 'malformed' })
  })

  test('after the end', async () => {
    const embedder = await open()
    provider.fault = { delay: 20_000 }
    const asked = trouble(embedder)
    await embedder.close()
    expect((await asked).kind).toBe('off')
    expect((await trouble(embedder)).kind).toBe('off')
  })
})

describe('another attempt', () => {
  test('is made when it may help, and its answer counts', async () => {
    const embedder = await open()
    provider.fault = { status: 503, when: () => provider.requests.length < 3 }
    const answer = await embedder.embed(['tide'], { deadlineMs: 20_000, attempts: 3 })
    expect(isTrouble(answer)).toBe(false)
    expect(provider.requests).toHaveLength(3)
  })

  test.each([[{ status: 401 }], [{ status: 400 }], [{ body: '{}' }], [{ dims: 4001 }]])(
    'is not made when it would end the same way: %o',
    async (fault) => {
      const embedder = await open()
      provider.fault = fault
      await trouble(embedder, { deadlineMs: 20_000, attempts: 3 })
      expect(provider.requests).toHaveLength(1)
    },
  )

  test('waits as long as the provider wishes, or is left to the caller when that is long', async () => {
    const embedder = await open()
    provider.fault = { status: 429, retryAfter: '0' }
    expect(await trouble(embedder, { deadlineMs: 20_000, attempts: 3 })).toMatchObject({
      retryAfterMs: 0,
    })
    expect(provider.requests).toHaveLength(3)

    provider.fault = { status: 429, retryAfter: '120' }
    expect(await trouble(embedder, { deadlineMs: 20_000, attempts: 3 })).toMatchObject({
      retryAfterMs: 120_000,
    })
    expect(provider.requests).toHaveLength(4)
  })

  test('a date is a wish too', () => {
    const wish = retryAfterMs(new Date(Date.now() + 30_000).toUTCString())!
    expect(wish).toBeGreaterThan(20_000)
    expect(wish).toBeLessThanOrEqual(30_000)
    expect(retryAfterMs('soon')).toBeUndefined()
    expect(retryAfterMs(undefined)).toBeUndefined()
  })
})

test('the key and the words of the provider are in no cause', async () => {
  const embedder = await open()
  for (const status of [400, 401, 403, 404, 429, 500]) {
    provider.fault = { status }
    const { cause } = await trouble(embedder)
    expect(cause).not.toContain('sk-')
  }
})

test('the switch is read at the start', async () => {
  await putSetting(db, 'embedder_mode', 'off')
  expect((await open()).state()).toMatchObject({ on: false, chosen: true })
  await putSetting(db, 'embedder_mode', 'whatever')
  expect((await open()).state()).toMatchObject({ on: true })
})
