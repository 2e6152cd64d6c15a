import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openFolder } from '../helpers/folder.ts'
import { hook, openHookService } from '../helpers/hooks.ts'

const calls = (
  message: string,
  ...started: [id: string, kind: string | undefined, prompt: string][]
) =>
  started.map(([id, subagent_type, prompt]) => ({
    type: 'assistant',
    message: {
      id: message,
      content: [
        { type: 'tool_use', id, name: 'Agent', input: { subagent_type, prompt, description: 'd' } },
      ],
    },
  }))
const answered = (id: string) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] },
})
const other = {
  type: 'assistant',
  message: { id: 'm0', content: [{ type: 'tool_use', id: 't0', name: 'Read', input: {} }] },
}

/** Starts the subagents in this order, as Claude Code does, and returns what each was asked. */
async function start(
  transcript: readonly object[],
  agents: readonly { id: string; kind: string; asked?: string }[],
): Promise<unknown[]> {
  await using folder = await openFolder()
  await using service = await openHookService()
  const config = join(folder.path, 'client.yaml')
  const transcript_path = join(folder.path, 's.jsonl')
  await writeFile(join(folder.path, 'key'), 'the-key-of-a-service')
  await writeFile(config, `url: ${service.url}\nkey_file: ./key\n`)
  await writeFile(transcript_path, transcript.map((line) => `${JSON.stringify(line)}\n`).join(''))
  for (const { id, kind, asked } of agents) {
    const payload = { session_id: 's', transcript_path, agent_id: id, agent_type: kind }
    await hook('subagent-start', payload, { config })
    if (asked === undefined) continue
    const own = join(folder.path, `s/subagents/agent-${id}.jsonl`)
    await mkdir(dirname(own), { recursive: true })
    await writeFile(own, JSON.stringify({ type: 'user', message: { content: asked } }))
  }
  return service.posted.map(({ body }) => body['spawn_prompt'])
}

test('a subagent is asked what the newest open call of its kind says in the transcript of its parent', async () => {
  const transcript = [
    ...calls('m1', ['t1', 'Explore', 'An older question']),
    answered('t1'),
    other,
    ...calls('m2', ['t2', 'Plan', 'Plan the queue'], ['t3', 'Explore', 'Map the queue code']),
  ]
  expect(await start(transcript, [{ id: 'a1', kind: 'Explore' }])).toEqual(['Map the queue code'])
  expect(await start(transcript, [{ id: 'a1', kind: 'Plan' }])).toEqual(['Plan the queue'])
})

test('of several that start at once, each is asked what has not begun yet', async () => {
  const transcript = calls('m1', ['t1', 'Explore', 'First'], ['t2', 'Explore', 'Second'])
  const agents = [
    { id: 'a1', kind: 'Explore', asked: 'First' },
    { id: 'a2', kind: 'Explore' },
  ]
  expect(await start(transcript, agents)).toEqual(['First\n\nSecond', 'Second'])
})

test('a call that names no kind starts the usual one', async () => {
  const transcript = calls('m1', ['t1', undefined, 'Look around'])
  expect(await start(transcript, [{ id: 'a1', kind: 'general-purpose' }])).toEqual(['Look around'])
})

test('nothing is guessed: no call, another kind, an answered call, a call of a subagent', async () => {
  const nested = calls('m1', ['t1', 'Explore', 'Deep']).map((line) => ({
    ...line,
    isSidechain: true,
  }))
  for (const transcript of [
    [other],
    calls('m1', ['t1', 'Plan', 'Of another kind']),
    [...calls('m1', ['t1', 'Explore', 'Answered']), answered('t1')],
    nested,
  ]) {
    expect(await start(transcript, [{ id: 'a1', kind: 'Explore' }])).toEqual([undefined])
  }
})
