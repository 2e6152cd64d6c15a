import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFolder } from '../helpers/folder.ts'
import { hook, openHookService, type HookService, type Posted } from '../helpers/hooks.ts'
import { loam } from '../helpers/in-process.ts'

const KEY = 'the-key-of-a-service-that-takes-hooks'

/** A client file in the folder that leads to the service. */
async function clientFile(folder: string, { url }: Pick<HookService, 'url'>): Promise<string> {
  const config = join(folder, 'client.yaml')
  await writeFile(join(folder, 'key'), KEY)
  await writeFile(config, `url: ${url}\nkey_file: key\n`)
  return config
}

async function jsonLines(path: string, lines: readonly (object | string)[]): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true })
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  await writeFile(path, `${text.join('\n')}\n`)
  return path
}

const said = (id: string, text: string, more: object = {}) => ({
  type: 'assistant',
  isSidechain: false,
  message: {
    id,
    role: 'assistant',
    model: 'model-of-the-provider',
    content: [{ type: 'text', text }],
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 5,
      output_tokens: 7,
    },
  },
  ...more,
})

describe('a hook', () => {
  test('carries the payload to its endpoint with the key, and prints the answer', async () => {
    await using folder = await openFolder()
    await using service = await openHookService({ answer: '{"continue":true}\n' })
    const config = await clientFile(folder.path, service)

    const { stdout } = await hook(
      'session-start',
      { session_id: 's', odd: { kept: 1 } },
      { config },
    )

    expect(stdout).toEqual(['{"continue":true}'])
    const [{ path, headers, body, process: key }] = service.posted as [Posted]
    expect(key).toMatch(/^[0-9a-f]{32}$/)
    expect(path).toBe('/api/hooks/session-start?client=claude-code')
    expect(headers.authorization).toBe(`Bearer ${KEY}`)
    expect(body).toEqual({ session_id: 's', odd: { kept: 1 } })
  })

  test('says which client it speaks for', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    await hook('stop', {}, { config, client: 'codex' })
    expect(service.posted[0]?.path).toBe('/api/hooks/stop?client=codex')
  })

  test.each(['', 'not json', '[1]', '"text"', '{"torn":', 'null'])(
    'takes %j on its input for an empty payload',
    async (input) => {
      await using folder = await openFolder()
      await using service = await openHookService()
      const config = await clientFile(folder.path, service)
      await hook('session-end', input, { config })
      expect(service.posted[0]?.body).toEqual({})
    },
  )

  test.each([
    ['session-start', 'SessionStart'],
    ['user-prompt-submit', 'UserPromptSubmit'],
    ['subagent-start', 'SubagentStart'],
  ])(
    'tells the agent and its user in one line when %s reached nobody',
    async (event, hookEventName) => {
      await using folder = await openFolder()
      const config = await clientFile(folder.path, { url: 'http://127.0.0.1:9' })
      const { stdout, stderr } = await hook(event, {}, { config })
      expect(stderr).toEqual([])
      expect(stdout).toHaveLength(1)
      const answer = JSON.parse(stdout[0]!) as {
        systemMessage: string
        hookSpecificOutput: Record<string, string>
      }
      expect(answer.systemMessage).toMatch(/^Loam was not reached: http:\/\/127\.0\.0\.1:9 /)
      expect(answer).toMatchObject({ continue: true, hookSpecificOutput: { hookEventName } })
      expect(answer.hookSpecificOutput['additionalContext']).toMatch(
        /^Loam was not reached, so nothing was looked up for this: http:\/\/127\.0\.0\.1:9 /,
      )
    },
  )

  test('complains beside the answer where no agent reads one', async () => {
    await using folder = await openFolder()
    const config = await clientFile(folder.path, { url: 'http://127.0.0.1:9' })
    const { stdout, stderr } = await hook('session-end', {}, { config })
    expect({ stdout, stderr }).toEqual({
      stdout: [],
      stderr: [expect.stringContaining('session-end was not recorded: http://127.0.0.1:9')],
    })
  })

  test('names a wrong key without showing it', async () => {
    await using folder = await openFolder()
    await using service = await openHookService({ status: 401, answer: '{}' })
    const config = await clientFile(folder.path, service)
    const { stdout } = await hook('session-start', {}, { config })
    expect(stdout[0]).toContain('the key is wrong')
    expect(stdout[0]).toContain('the service needs a restart')
    expect(stdout[0]).not.toContain(KEY)
  })

  test.each(['claude-code', 'cursor'])(
    'gives an agent of %s no page of somebody else who answers at its address',
    async (client) => {
      await using folder = await openFolder()
      await using service = await openHookService({ answer: '<html>sign in, "agent"</html>' })
      const config = await clientFile(folder.path, service)
      const asked = await hook('session-start', {}, { config, client })
      expect(asked.stderr).toEqual([])
      expect(asked.stdout[0]).toContain(
        'Loam was not reached: what answers at its address is not Loam',
      )
      expect(asked.stdout[0]).not.toContain('sign in')
      const ended = await hook('session-end', {}, { config, client })
      expect(ended.stdout).toEqual([])
      expect(ended.stderr[0]).toContain('what answers at its address is not Loam')
    },
  )

  test('ends well within its deadline when the service never answers', async () => {
    await using folder = await openFolder()
    await using service = await openHookService({ answer: null })
    const config = await clientFile(folder.path, service)
    const { stdout } = await hook('user-prompt-submit', { prompt: 'x' }, { config })
    expect(stdout[0]).toContain('gave no answer within 4 s')
  })

  test('never ends with the code that stops an agent', async () => {
    await using folder = await openFolder()
    const run = (...args: string[]) => loam(['hook', ...args], { folder: folder.path })
    const [unknown, stray, missing, noKey] = await Promise.all([
      run('pre-tool-use'),
      run('stop', '--nonsense'),
      run(),
      run('session-end'),
    ])
    expect([unknown.code, stray.code, missing.code, noKey.code]).toEqual([1, 1, 1, 0])
    expect(unknown.stderr).toContain('no hook "pre-tool-use"; there are session-start')
    expect(noKey.stderr).toContain('loam: session-end was not recorded: no key')
  })

  test('refuses a client that nobody knows', async () => {
    await using folder = await openFolder()
    const { code, stderr } = await loam(['hook', 'stop', '--client', 'other'], {
      folder: folder.path,
    })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^loam: no client "other"; there are claude-code, codex, .*\n$/,
      ),
    })
  })
})

describe('what a hook adds', () => {
  test('at a start: root, remote and head of the repository around the directory', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    const root = join(folder.path, 'orders')
    await mkdir(join(root, '.git/refs/heads'), { recursive: true })
    await mkdir(join(root, 'src/deep'), { recursive: true })
    await writeFile(join(root, '.git/HEAD'), 'ref: refs/heads/main\n')
    await writeFile(join(root, '.git/refs/heads/main'), `${'a1'.repeat(20)}\n`)
    await writeFile(
      join(root, '.git/config'),
      '[core]\n\turl = no\n[remote "fork"]\n\turl = https://example.org/f.git\n' +
        '[remote "origin"]\n\turl = git@example.org:acme/orders.git\n\tfetch = +refs\n',
    )

    await hook('session-start', { cwd: join(root, 'src/deep') }, { config })

    expect(service.posted[0]?.body).toMatchObject({
      repo_root: root,
      repo: 'git@example.org:acme/orders.git',
      git_head: 'a1a1a1a1a1a1',
    })
  })

  test('in a linked worktree: the main checkout, and the head of the worktree', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    const [root, tree] = [join(folder.path, 'orders'), join(folder.path, 'elsewhere')]
    const admin = join(root, '.git/worktrees/elsewhere')
    await mkdir(admin, { recursive: true })
    await mkdir(tree)
    await writeFile(join(tree, '.git'), `gitdir: ${admin}\n`)
    await writeFile(join(admin, 'commondir'), '../..\n')
    await writeFile(join(admin, 'HEAD'), 'ref: refs/heads/side\n')
    await writeFile(join(root, '.git/packed-refs'), `# pack\n${'b2'.repeat(20)} refs/heads/side\n`)

    await hook('session-start', { cwd: tree }, { config })

    const { body } = service.posted[0]!
    expect(body).toMatchObject({ repo_root: root, git_head: 'b2b2b2b2b2b2' })
    expect(body).not.toHaveProperty('repo')
  })

  test('outside of a repository: nothing', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    await hook('session-start', { cwd: 'not/absolute' }, { config })
    expect(service.posted[0]?.body).toEqual({ cwd: 'not/absolute' })
  })

  test('at the end: the last words, the model, and all tokens, each message once', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    const transcript_path = await jsonLines(join(folder.path, 't.jsonl'), [
      { type: 'user', message: { role: 'user', content: 'begin' } },
      said('m1', 'first'),
      said('m1', 'first, told again'),
      '{"torn": ',
      said('m2', 'of a subagent', { isSidechain: true }),
      said('m3', 'The queue must drain first.'),
      { type: 'assistant', message: { id: 'm4', model: '<synthetic>', content: 'no model' } },
    ])

    await hook('session-end', { session_id: 's', transcript_path }, { config })

    expect(service.posted[0]?.body).toMatchObject({
      findings: 'The queue must drain first.',
      model: 'model-of-the-provider',
      tokens: { input: 30, cached: 300, cache_creation: 15, output: 21 },
    })
  })

  test('at the end: the tokens of subagents, which have transcripts of their own', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    const transcript_path = await jsonLines(join(folder.path, 's.jsonl'), [
      said('m1', 'Two of them look.'),
      said('m2', 'Done.'),
    ])
    const sidechain = { isSidechain: true }
    await jsonLines(join(folder.path, 's/subagents/agent-a1.jsonl'), [said('m3', 'a', sidechain)])
    await jsonLines(join(folder.path, 's/subagents/agent-a2.jsonl'), [
      said('m2', 'told again', sidechain),
      said('m4', 'b', sidechain),
    ])
    await jsonLines(join(folder.path, 'other/subagents/agent-a1.jsonl'), [said('m5', 'c')])

    await hook('session-end', { session_id: 's', transcript_path }, { config })

    expect(service.posted[0]?.body).toMatchObject({
      findings: 'Done.',
      tokens: { input: 40, cached: 400, cache_creation: 20, output: 28 },
    })
  })

  test('at the end of a session without a transcript: nothing', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    const payload = { transcript_path: join(folder.path, 'gone.jsonl') }
    await hook('session-end', payload, { config })
    expect(service.posted[0]?.body).toEqual(payload)
  })

  test('at a stop of Codex: its last words, its totals without what was cached, its model', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    const event = (payload: object) => ({ type: 'event_msg', payload })
    const used = (input_tokens: number) => ({
      total_token_usage: { input_tokens, cached_input_tokens: 300, output_tokens: 50 },
    })
    const transcript_path = await jsonLines(join(folder.path, 'rollout.jsonl'), [
      { type: 'turn_context', payload: { model: 'codex-model' } },
      event({ type: 'token_count', info: used(400) }),
      event({ type: 'token_count', info: null }),
      event({ type: 'agent_message', message: 'half way' }),
      event({ type: 'token_count', info: used(1000) }),
      event({ type: 'task_complete', last_agent_message: 'Done: three files.' }),
    ])

    await hook('stop', { transcript_path }, { config, client: 'codex' })
    await hook('stop', { transcript_path, last_assistant_message: 'Said.', model: 'm' }, { config })

    expect(service.posted[0]?.body).toMatchObject({
      findings: 'Done: three files.',
      tokens: { input: 700, cached: 300, cache_creation: 0, output: 50 },
      model: 'codex-model',
    })
    expect(service.posted[1]?.body).toMatchObject({ findings: 'Said.', model: 'm' })
  })

  test('at a subagent that ends: what it was asked, and its report once it is whole', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    const path = join(folder.path, 's/subagents/agent-a1.jsonl')
    const asked = { type: 'user', isSidechain: true, message: { content: 'Map the queue code' } }
    const call = {
      type: 'assistant',
      message: {
        content: [
          { type: 'text', text: 'looking' },
          { type: 'tool_use', name: 'Read' },
        ],
      },
    }
    await jsonLines(path, [asked, call])
    const payload = { transcript_path: join(folder.path, 's.jsonl'), agent_id: 'a1' }
    const stopping = hook('subagent-stop', payload, { config })
    await jsonLines(path, [asked, call, said('m9', 'It lives in src/queue.')])
    await stopping
    const last_assistant_message = 'Said by the client.'
    await hook('subagent-stop', { ...payload, last_assistant_message }, { config })

    expect(service.posted.map(({ body }) => [body['spawn_prompt'], body['report']])).toEqual([
      ['Map the queue code', 'It lives in src/queue.'],
      ['Map the queue code', 'Said by the client.'],
    ])
  })

  test('never reads a transcript outside of where subagents have theirs', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    await jsonLines(join(folder.path, 'secret.jsonl'), [
      { type: 'user', message: { content: 'a secret' } },
    ])
    const payload = { transcript_path: join(folder.path, 's.jsonl'), agent_id: '../../secret' }
    await hook('subagent-start', payload, { config })
    expect(service.posted[0]?.body).not.toHaveProperty('spawn_prompt')
  })
})

describe('a hook after a tool', () => {
  const edit = (file_path: string) => ({ tool_name: 'Write', tool_input: { file_path } })

  test('sends the text of a plan, and nothing of any other file', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = await clientFile(folder.path, service)
    const plans = join(folder.path, '.claude/plans')
    await mkdir(join(plans, 'deep'), { recursive: true })
    for (const name of ['calm-otter.md', 'other.txt', '.hidden.md', 'deep/nested.md']) {
      await writeFile(join(plans, name), '# Drain the queue\n')
    }
    const send = (payload: object) => hook('post-tool-use', payload, { config, home: folder.path })
    await send(edit('~/.claude/plans/calm-otter.md'))
    await send(edit(join(plans, 'other.txt')))
    await send(edit(join(plans, '.hidden.md')))
    await send(edit(join(plans, 'deep/nested.md')))
    await send(edit(join(folder.path, 'src/index.ts')))
    await send({ tool_name: 'ExitPlanMode', tool_response: { plan: '# Told' } })

    const texts = service.posted.map(({ body }) => body['plan_file_text'])
    expect(texts).toEqual(['# Drain the queue\n', undefined])
  })
})
