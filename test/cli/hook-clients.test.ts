import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HOOK_CLIENTS } from '../../src/cli/agent/hook/clients.ts'
import { CLIENTS } from '../../src/hooks/clients.ts'
import { contextBlock } from '../../src/text/context-block.ts'
import { openFolder } from '../helpers/folder.ts'
import { hook, openHookService } from '../helpers/hooks.ts'

const ANSWER = {
  continue: true,
  suppressOutput: true,
  systemMessage: 'For the user.',
  hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'For the agent.' },
}

/** What the service is sent for a payload of a client, and what the client is answered. */
async function tell(
  client: string,
  event: string,
  payload: object,
): Promise<{ body: Record<string, unknown>; answer: unknown }> {
  await using folder = await openFolder()
  await using service = await openHookService({ answer: JSON.stringify(ANSWER) })
  const config = join(folder.path, 'client.yaml')
  await writeFile(join(folder.path, 'key'), 'the-key-of-a-service')
  await writeFile(config, `url: ${service.url}\nkey_file: ./key\n`)
  const { stdout } = await hook(event, payload, { config, client })
  expect(service.posted[0]?.path).toBe(`/api/hooks/${event}?client=${client}`)
  return { body: service.posted[0]!.body, answer: JSON.parse(stdout[0]!) }
}

const prompt = 'user-prompt-submit'

test('every client that the service accepts has its form here', () => {
  expect(HOOK_CLIENTS.toSorted()).toEqual([...CLIENTS].sort())
})

test.each(HOOK_CLIENTS)('%s is told, with its user, that the service is away', async (client) => {
  await using folder = await openFolder()
  const config = join(folder.path, 'client.yaml')
  await writeFile(join(folder.path, 'key'), 'the-key-of-a-service')
  await writeFile(config, 'url: http://127.0.0.1:9\nkey_file: ./key\n')
  const { stdout } = await hook('session-start', {}, { config, client })
  const said = Object.values(JSON.parse(stdout[0]!) as object).map((each) => JSON.stringify(each))
  expect(said.filter((each) => each.includes('nothing was looked up for this'))).toHaveLength(1)
  expect(said.filter((each) => each.includes('Loam was not reached: http'))).toHaveLength(1)
})

describe('Claude Code', () => {
  test('does not take the end of a background task for words of the user', async () => {
    const notice = '<task-notification>\n<task-id>a1</task-id>\n</task-notification>'
    const { body, answer } = await tell('claude-code', prompt, { session_id: 's', prompt: notice })
    expect(body).toEqual({ session_id: 's', prompt: '' })
    expect(answer).toEqual(ANSWER)
  })

  test('begins a session of its own when its user starts it as an agent, and none for a subagent', async () => {
    const start = { session_id: 's', source: 'startup', agent_type: 'reviewer' }
    const main = await tell('claude-code', 'session-start', start)
    expect(main.body).toEqual({ session_id: 's', source: 'startup' })
    const sub = await tell('claude-code', 'session-start', { ...start, agent_id: 'a1' })
    expect(sub.body).toMatchObject({ agent_id: 'a1', agent_type: 'reviewer' })
  })
})

test('hooks of Claude Code that VS Code runs say nothing: it has its own', async () => {
  await using folder = await openFolder()
  await using service = await openHookService()
  const config = join(folder.path, 'client.yaml')
  await writeFile(join(folder.path, 'key'), 'the-key-of-a-service')
  await writeFile(config, `url: ${service.url}\nkey_file: ./key\n`)
  const payload = { sessionId: 's', hookEventName: 'SessionStart', cwd: '/' }
  const { stdout, stderr } = await hook('session-start', payload, { config })
  expect({ stdout, stderr, posted: service.posted }).toEqual({ stdout: [], stderr: [], posted: [] })
})

describe('Codex', () => {
  test('keeps what a session said at its end', async () => {
    const { body } = await tell('codex', 'session-end', {
      session_id: 's',
      last_assistant_message: 'Done.',
    })
    expect(body).toMatchObject({ session_id: 's', findings: 'Done.' })
  })
})

describe('Gemini CLI', () => {
  test('sends the words of the user without our own, and is answered under its own names', async () => {
    const block = contextBlock('loam-briefing', 'Keep to <the> rules.')
    const escaped = block.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const payload = {
      session_id: 's',
      hook_event_name: 'BeforeAgent',
      prompt: `<hook_context>${escaped}</hook_context>\n\nDrain the queue`,
    }
    const { body, answer } = await tell('gemini', prompt, payload)
    expect(body).toMatchObject({ session_id: 's', prompt: 'Drain the queue' })
    expect(answer).toEqual({
      ...ANSWER,
      hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: 'For the agent.' },
    })
  })

  test('reports what its agent said last', async () => {
    const payload = { session_id: 's', prompt: 'x', prompt_response: 'Drained.' }
    const { body } = await tell('gemini', 'stop', payload)
    expect(body).toMatchObject({ last_assistant_message: 'Drained.', prompt: 'x' })
  })
})

describe('Qwen Code', () => {
  test('sends what the user typed', async () => {
    const payload = { session_id: 's', prompt: 'with a file in it', submitted_prompt: '@file' }
    expect((await tell('qwen', prompt, payload)).body).toMatchObject({ prompt: '@file' })
  })
})

describe('opencode', () => {
  test('sends the first prompt of a subagent as its task', async () => {
    const payload = { session_id: 's', agent_id: 'c', cwd: '/w', prompt: 'Map the queue' }
    const { body } = await tell('opencode', 'subagent-start', payload)
    expect(body).toEqual({
      ...{ session_id: 's', agent_id: 'c', cwd: '/w' },
      ...{ spawn_prompt: 'Map the queue', agent_type: 'subagent' },
    })
  })
})

describe('Cursor', () => {
  const payload = {
    conversation_id: 'c1',
    generation_id: 'g1',
    model: 'm',
    workspace_roots: ['/srv/orders', '/srv/other'],
    user_email: 'somebody@example.org',
  }

  test('names its session and place in its own way, and its user not at all', async () => {
    const { body, answer } = await tell('cursor', 'session-start', payload)
    expect(body).toMatchObject({
      session_id: 'c1',
      cwd: '/srv/orders',
      model: 'm',
      source: 'startup',
    })
    expect(JSON.stringify(body)).not.toContain('somebody')
    expect(answer).toEqual({
      continue: true,
      additional_context: 'For the agent.',
      user_message: 'For the user.',
    })
  })

  test('says of a subagent what it is and what it found', async () => {
    const more = {
      subagent_type: 'explore',
      task: 'Map',
      parent_conversation_id: 'c0',
      summary: 'It is.',
    }
    const { body } = await tell('cursor', 'subagent-stop', { ...payload, ...more })
    expect(body).toMatchObject({
      ...{ session_id: 'c0', agent_id: 'g1', agent_type: 'explore' },
      ...{ spawn_prompt: 'Map', report: 'It is.' },
    })
  })
})

describe('VS Code', () => {
  test('is understood in both of its spellings', async () => {
    const { body } = await tell('vscode', 'session-start', { sessionId: 's', source: 'new' })
    expect(body).toMatchObject({ session_id: 's', source: 'startup' })
    expect((await tell('vscode', prompt, { session_id: 't' })).body['session_id']).toBe('t')
  })
})
