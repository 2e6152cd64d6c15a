import { describe, expect, test } from 'vitest'
import { noticeSecrets } from '../../src/text/secret-policy.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { secretsIn } from '../../src/text/secrets.ts'
import { openHouse } from '../helpers/house.ts'
import { fact, remember } from './given.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const part = (text: string, times = 1): string => text.repeat(times)
const GITHUB = `ghp_${part('aB3d', 10)}`
const AWS = `AKIA${part('ABCD1234', 2)}`
const setting = (on_write: string) => ({ config: { secrets: { on_write } } }) as unknown as Kernel

/** Every explicit write, each with a credential in what it stores. */
const WRITES: [string, Record<string, unknown>][] = [
  ['memory_write', fact('m', { body: `use ${GITHUB}` })],
  ['memory_write', fact('n', { description: `use ${GITHUB}` })],
  ['memory_append', { name: 'x', body: GITHUB, project: 'atlas' }],
  ['memory_edit', { name: 'x', description: GITHUB, project: 'atlas' }],
  [
    'memory_edit',
    { name: 'x', edits: [{ old_string: 'The', new_string: GITHUB }], project: 'atlas' },
  ],
  ['memory_edit', { name: 'x', tags_add: [GITHUB], project: 'atlas' }],
  ['notes_create', { title: 'T', body: `use ${GITHUB}`, project: 'atlas' }],
  ['notes_update', { id: 'NOTE', body: GITHUB }],
  ['notes_edit', { id: 'NOTE', edits: [{ old_string: 'here', new_string: GITHUB }] }],
  ['notes_append', { id: 'NOTE', body: GITHUB }],
]

describe('a credential that is written down on purpose', () => {
  test('is named by its kind, never by its text', () => {
    expect(secretsIn(`${GITHUB} and ${AWS}, ${GITHUB}`)).toEqual([
      'an AWS access key',
      'a GitHub token',
    ])
    expect(secretsIn('postgres://loam:hunter2x@db.example/loam')).toEqual(['a password in a URL'])
    expect(secretsIn(`Authorization: Bearer ${part('aB3.dE7', 4)}`)).toEqual([
      'an authorization header',
    ])
    expect(secretsIn('API_KEY=9f86d081884c7d65')).toEqual([
      'a value named like a password or a key',
    ])
    expect(secretsIn('fixed in fc2c5684e105dbba1983fe25416ee5ef7e2a0c75')).toEqual([])
  })

  test('is a hint, a refusal or nothing, as the owner sets it', () => {
    const texts = ['plain', AWS]
    expect(noticeSecrets(setting('warn'), texts)).toEqual({
      secret_hint: expect.stringContaining('this looks like an AWS access key'),
    })
    expect(noticeSecrets(setting('off'), texts)).toEqual({})
    expect(noticeSecrets(setting('warn'), ['plain'])).toEqual({})
    expect(() => noticeSecrets(setting('refuse'), texts)).toThrow('an AWS access key')
    expect(noticeSecrets(setting('refuse'), ['plain'])).toEqual({})
  })

  test('is kept and named in the answer of every tool that writes, unless set otherwise', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'x')
    const { id } = await agent.call('notes_create', { title: 'N', body: 'here', project: 'atlas' })

    for (const [tool, args] of WRITES) {
      const sent = 'id' in args ? { ...args, id } : args
      const fresh = tool === 'notes_edit'
      if (fresh) await agent.call('notes_update', { id, body: 'here' })
      const { content, isError } = await agent.raw(tool, sent)
      const text = JSON.stringify(content)
      expect(isError ?? false, text).toBe(false)
      const said = JSON.parse((content as { text: string }[])[0]!.text) as Record<string, string>
      expect(said['secret_hint'], tool).toMatch(/^this looks like a GitHub token; /)
      expect(said['secret_hint']).not.toContain(GITHUB)
    }
    expect((await agent.call('memory_read', { name: 'm', project: 'atlas' }))['body']).toContain(
      GITHUB,
    )
  })

  test('is refused everywhere when the owner wants that, and is in no event', async () => {
    await using house = await openHouse({ env: { LOAM_SECRETS_ON_WRITE: 'refuse' } })
    const agent = await house.connect()
    await remember(agent, 'x')
    const { id } = await agent.call('notes_create', { title: 'N', body: 'here', project: 'atlas' })
    const before = await house.files()

    for (const [tool, args] of WRITES) {
      const sent = 'id' in args ? { ...args, id } : args
      await expect(agent.call(tool, sent), tool).rejects.toThrow(
        `${tool}: this looks like a GitHub token, which is not kept here`,
      )
    }
    expect(await house.files()).toEqual(before)
    const calls = await house.events('tool.call')
    expect(JSON.stringify(calls)).not.toContain(GITHUB)
    expect(calls.length).toBeGreaterThan(WRITES.length)
  })
})
