import { homedir } from 'node:os'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HookEvent } from '../../src/cli/agent/hook/client.ts'
import { claudeCode } from '../../src/cli/agent/hook/clients/claude-code.ts'
import { extract } from '../../src/cli/agent/hook/run.ts'
import { callHook, CODEX, fixture } from '../helpers/call-hook.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'

const REMOTE = 'git@github.com:acme/orders.git'

async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

/** A clone of the repository, as git leaves it. */
async function clone(root: string): Promise<string> {
  await put(join(root, '.git/config'), `[remote "origin"]\n\turl = ${REMOTE}\n`)
  await put(join(root, '.git/HEAD'), 'ref: refs/heads/main\n')
  await put(join(root, '.git/refs/heads/main'), `${'0123456789abcdef'.repeat(2)}01234567\n`)
  return root
}

const ambient = (house: House, client: string) =>
  house.app.kernel.db
    .selectFrom('sessions')
    .selectAll()
    .where('external_client', '=', client)
    .executeTakeFirstOrThrow()

describe('two agents in two clients', () => {
  test('the second receives what the first learned, in a clone at another place', async () => {
    await using house = await openHouse()

    // A begins in Claude Code: nothing is known yet but its own name.
    const here = { repo: REMOTE, repo_root: '/home/ana/src/orders' }
    await callHook(house, 'session-start', fixture('claude-code/session-start', here))
    const { name } = await ambient(house, 'claude-code')
    const a = await house.connect('alice')
    await a.call('memory_write', {
      session: name,
      name: 'csv-trailing-newline',
      kind: 'constraint',
      description: 'Every csv that is imported must end with a newline',
      body: 'The last row is lost otherwise.',
    })
    await a.call('session_end', {
      session: name,
      findings: 'The importer is fixed, the exporter is not.',
      mishaps: ['Forgot csv-trailing-newline and lost a row'],
    })
    await callHook(house, 'session-end', fixture('claude-code/session-end'))

    // B begins in Codex, on another machine.
    const there = { repo: 'https://github.com/acme/orders', repo_root: '/Users/bo/work/orders-2' }
    const start = fixture('codex/session-start', { ...there, cwd: there.repo_root })
    const { context } = await callHook(house, 'session-start', start, CODEX)

    expect(context).toContain('csv-trailing-newline')
    expect(context).toContain('must end with a newline')
    expect(context).toContain('The importer is fixed, the exporter is not.')
    expect(context).toContain((await ambient(house, 'codex')).name)
    expect(Buffer.byteLength(context!)).toBeLessThanOrEqual(9_600)
    expect(await ambient(house, 'claude-code')).toMatchObject({
      findings: 'The importer is fixed, the exporter is not.',
    })
  })
})

describe('loam hook', () => {
  test('carries what only the agent’s machine knows, from the start of a session to its end', async () => {
    await using house = await openHouse()
    await using folder = await openFolder()
    const root = await clone(join(folder.path, 'orders'))
    const answer = {
      type: 'assistant',
      isSidechain: false,
      message: {
        id: 'm1',
        role: 'assistant',
        model: 'claude-opus-4-6',
        content: [{ type: 'text', text: 'All rows arrive now.' }],
        usage: {
          input_tokens: 10,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 5,
          output_tokens: 7,
        },
      },
    }
    const transcript_path = await put(
      join(folder.path, 'transcript.jsonl'),
      `${JSON.stringify(answer)}\n`,
    )
    /** What `loam hook` sends for what the client told it. */
    const told = async (event: HookEvent, path: string = event) => {
      const payload = fixture(`claude-code/${path}`, { cwd: root, transcript_path })
      return callHook(
        house,
        event,
        await extract({ event, form: claudeCode }, payload, { env: {}, home: homedir() }),
      )
    }

    const started = await told('session-start')
    const session = await ambient(house, 'claude-code')
    expect(session).toMatchObject({ project: 'orders', cwd: root })
    expect(started.context).toContain(session.name)

    expect((await told('user-prompt-submit')).context).toBe('')

    const agreed = await told('post-tool-use', 'post-tool-use.exit-plan-mode')
    expect(agreed.context).toContain('Your plan is approved')
    const [note] = await house.app.kernel.db.selectFrom('notes').selectAll().execute()
    expect(note!.body).toContain('| git 0123456789ab |')

    await told('session-end')
    expect(await ambient(house, 'claude-code')).toMatchObject({
      status: 'completed',
      findings: '(auto-harvested) All rows arrive now.',
      input_tokens: 10,
      cached_tokens: 100,
      cache_creation_tokens: 5,
      output_tokens: 7,
      model: 'claude-opus-4-6',
    })
    expect(await house.events('hook.error')).toEqual([])
  })
})
