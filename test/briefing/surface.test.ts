/** What agents are told, by the tools they call. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { breakouts } from '../helpers/breakouts.ts'
import { openHouse, type House } from '../helpers/house.ts'

const told = async (house: House, over: object = {}): Promise<string> => {
  const agent = await house.connect('bob')
  const { briefing } = await agent.call('session_start', { project: 'atlas', ...over })
  return briefing as string
}

describe('session_start', () => {
  test('tells one agent what another wrote and found, and records exactly that', async () => {
    await using house = await openHouse()
    const alice = await house.connect('alice')
    const { session_id } = await alice.call('session_start', { project: 'atlas', name: 'first' })
    const { id } = await alice.call('memory_write', {
      name: 'never-push',
      kind: 'constraint',
      description: 'Never push to main.',
      body: 'Ever.',
    })
    await alice.call('session_end', {
      session_id,
      findings: 'The cache was stale.',
      mishaps: ['I broke never-push.'],
    })

    const briefing = await told(house, { name: 'second' })
    expect(briefing).toContain('- never-push (constraint, just now): Never push to main.')
    expect(briefing).toContain('- first, just now: The cache was stale.')
    const [event] = (await house.events('retrieval.injected')).slice(-1)
    expect(event!.payload).toMatchObject({ content: briefing, item_ids: [id] })
  })

  test('is not slowed or failed by memories that try to close its block, whose files stay as they are', async () => {
    await using house = await openHouse()
    const alice = await house.inside('atlas')
    const attempts = breakouts().filter((_, i) => i % 20 === 0)
    const files: [string, string][] = []
    for (const [i, attempt] of attempts.entries()) {
      const name = `attempt-${i}`
      const body = `${attempt.replaceAll('\0', '')}\n`
      const kind = i % 2 ? 'constraint' : 'reference'
      await alice.call('memory_write', { name, kind, description: body.trim() || 'none', body })
      const path = `memory/atlas/${name}.md`
      files.push([path, await house.sha256(path)])
      expect(await readFile(join(house.dir, path), 'utf8')).toContain(body)
    }
    const briefing = await told(house, { source: 'compact' })
    expect(briefing).toMatch(/^<loam-briefing id="(\w{16})">\n[^]*\n<\/loam-briefing id="\1">$/)
    expect(briefing.match(/<[^a-z‹]{0,9}loam/gi)).toHaveLength(2)
    for (const [path, before] of files) expect(await house.sha256(path)).toBe(before)
    const read = await alice.call('memory_read', { name: 'attempt-3' })
    expect(read['body']).toBe(`${attempts[3]!.replaceAll('\0', '')}\n`)
  })

  test('tells a session that comes back what it had in hand', async () => {
    await using house = await openHouse()
    const agent = await house.connect('alice')
    await agent.call('session_start', { project: 'atlas', name: 'keeper' })
    await agent.call('session_update', { findings: 'Half of it is done.' })
    const { briefing } = await agent.call('session_start', { name: 'keeper', source: 'resume' })
    expect(briefing).toContain(
      '## You are session keeper; before this you had\n- your findings so far: Half of it is done.',
    )
  })

  test('tells a session in a fenced project which fence it is in', async () => {
    await using house = await openHouse()
    await house.inside('crypt', 'sealed')
    const outside = await house.inside('')
    await outside.call('memory_write', {
      name: 'canary',
      kind: 'constraint',
      description: 'zzcanaryzz',
      body: 'x',
    })
    const crypt = await house.connect('bob')
    await crypt.call('session_start', { project: 'crypt' })
    await crypt.call('memory_write', {
      name: 'hush',
      kind: 'constraint',
      description: 'Say nothing.',
      body: 'x',
    })
    const { briefing } = await crypt.call('session_start', { project: 'crypt' })
    expect(briefing).toContain('This project is sealed')
    expect(briefing).toContain('- hush (constraint, just now): Say nothing.')
    expect(briefing).not.toContain('canary')
  })

  test('says what to begin with where nothing is known, which is no injection', async () => {
    await using house = await openHouse()
    expect(await told(house)).toContain('nothing is known yet')
    expect(await house.events('retrieval.injected')).toEqual([])
  })
})
