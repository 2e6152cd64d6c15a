import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import {
  adds as mayAdd,
  reads as mayRead,
  writes as mayWrite,
  type Level as Place,
} from '../helpers/fences.ts'
import { openHouse, type House } from '../helpers/house.ts'

/** Every kind of place: from each an agent calls, in each lies a memory with a word of its own. */
const PLACES: Place[] = [
  { project: '', isolation: 'open' },
  { project: 'atlas', isolation: 'open' },
  { project: 'delta', isolation: 'open' },
  { project: 'ledger', isolation: 'confidential' },
  { project: 'crypt', isolation: 'sealed' },
]
const canary = ({ project }: Place): string => `canary${project || 'world'}quokka`
const wire = ({ project }: Place): string => project || 'global'
const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'

interface Setting {
  house: House
  insider: Map<Place, Agent>
  ids: Map<Place, string>
}

/** The same name everywhere; the canaries are in what only a reader may see. */
async function settle(house: House): Promise<Setting> {
  const insider = new Map<Place, Agent>()
  const ids = new Map<Place, string>()
  for (const place of PLACES) {
    const agent = await house.inside(place.project, place.isolation)
    const { id } = await agent.call('memory_write', {
      name: 'report',
      kind: 'reference',
      description: `of ${canary(place)}`,
      body: `body ${canary(place)}`,
      tags: [canary(place)],
    })
    insider.set(place, agent)
    ids.set(place, id)
  }
  return { house, insider, ids }
}

const said = async (agent: Agent, tool: string, args: Record<string, unknown>) =>
  JSON.stringify(await agent.raw(tool, args))

/** No answer may hold a canary of a place that the caller may not read. */
function expectNoLeak(text: string, caller: Place, about: string): void {
  for (const place of PLACES) {
    if (mayRead(caller, place)) continue
    expect(text, `${canary(place)} reached ${wire(caller)} by ${about}`).not.toContain(
      canary(place),
    )
  }
}

const stateOf = async (house: House, id: string) => {
  const { db } = house.app.database
  const row = await db
    .selectFrom('memories')
    .select(['content_hash', 'invalid_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  return JSON.stringify(row ?? null)
}

describe('between projects', () => {
  test('a memory is read, by id and by name, exactly where the fences let it', async () => {
    await using house = await openHouse()
    const { insider, ids } = await settle(house)

    for (const caller of PLACES) {
      const agent = insider.get(caller)!
      const unknown = await said(agent, 'memory_read', { id: UNKNOWN })
      for (const target of PLACES) {
        const id = ids.get(target)!
        const allowed = mayRead(caller, target)
        const where = `${wire(caller)} → ${wire(target)}`

        const byId = await said(agent, 'memory_read', { id })
        expect(byId.includes(`body ${canary(target)}`), where).toBe(allowed)
        if (!allowed) expect(byId.replaceAll(id, UNKNOWN)).toBe(unknown)
        const byName = await said(agent, 'memory_read', { name: 'report', project: wire(target) })
        expect(byName.includes(`body ${canary(target)}`), where).toBe(allowed)
        expectNoLeak(byId, caller, 'memory_read id')
        expectNoLeak(byName, caller, 'memory_read name')
        if (!allowed) expect(byName).toMatch(/is (confidential|sealed)|bound to sealed/)
      }
      expectNoLeak(await said(agent, 'memory_read', { name: 'report' }), caller, 'memory_read')
    }
  })

  test.each<[string, Record<string, unknown>]>([
    ['memory_append', { body: 'more' }],
    ['memory_edit', { edits: [{ old_string: 'body', new_string: 'corpus' }] }],
    ['memory_edit', { edits: [{ old_string: 'not there', new_string: 'x' }] }],
    ['memory_edit', { description: 'x', expect_hash: 'ab'.repeat(32) }],
    ['memory_edit', { tags_add: ['t'] }],
    ['memory_delete', {}],
  ])('%s %o changes what may be read and written, and nothing else', async (tool, args) => {
    await using house = await openHouse()
    const { insider, ids } = await settle(house)
    const fails = JSON.stringify(args).match(/not there|expect_hash/)

    for (const caller of PLACES) {
      for (const target of PLACES) {
        const [reads, writes] = [mayRead(caller, target), mayWrite(caller, target)]
        // What may be deleted here is wanted by the next caller.
        if (tool === 'memory_delete' && reads && writes && caller !== target) continue
        const id = ids.get(target)!
        const before = await stateOf(house, id)
        const answer = await agentSays(insider.get(caller)!, tool, {
          name: 'report',
          project: wire(target),
          ...args,
        })
        const where = `${wire(caller)} → ${wire(target)}: ${answer.text}`
        expectNoLeak(answer.text, caller, tool)
        const repeated = /"edits"/.test(JSON.stringify(args)) && answer.text.includes('not occur')
        const expected = reads && writes && !fails && !repeated
        const changed = (await stateOf(house, id)) !== before
        if (expected && !(tool === 'memory_edit' && args['tags_add'])) {
          expect(changed, where).toBe(true)
        }
        if (!reads || !writes) {
          expect(changed, where).toBe(false)
          expect(answer.failed, where).toBe(true)
        }
        if (tool === 'memory_delete' && expected) {
          expect(await stateOf(house, id)).toBe('null')
          const { id: again } = await insider.get(target)!.call('memory_write', {
            name: 'report',
            kind: 'reference',
            description: `of ${canary(target)}`,
            body: `body ${canary(target)}`,
          })
          ids.set(target, again)
        }
      }
    }
  })

  test('memory_write lands exactly where the fences let it, and tells nothing of what lies there', async () => {
    await using house = await openHouse()
    const { insider } = await settle(house)

    for (const caller of PLACES) {
      for (const target of PLACES) {
        const [reads, adds] = [mayRead(caller, target), mayAdd(caller, target)]
        const where = `${wire(caller)} → ${wire(target)}`
        const name = `from-${wire(caller)}`
        const answer = await agentSays(insider.get(caller)!, 'memory_write', {
          name,
          kind: 'gotcha',
          description: 'd',
          body: 'b',
          project: wire(target),
        })
        expectNoLeak(answer.text, caller, 'memory_write')
        expect(answer.failed, `${where}: ${answer.text}`).toBe(!adds)
        const made = (await house.files()).filter((path) =>
          path.startsWith(`memory/${target.project || '_global'}/${name}`),
        )
        expect(made).toHaveLength(adds ? 1 : 0)
        if (adds) expect(made[0]!.endsWith(`/${name}.md`), where).toBe(reads)
        if (adds) expect(answer.text.includes('withheld'), where).toBe(!reads)
      }
    }
  })

  test('what is superseded lies where the caller may write, and readers of it may read what replaced it', async () => {
    await using house = await openHouse()
    const { insider } = await settle(house)
    const { db } = house.app.database
    const placed = (project: string) => PLACES.find((place) => place.project === project)!

    for (const caller of PLACES) {
      for (const target of PLACES.toReversed()) {
        if (!mayAdd(caller, target)) continue
        const answer = await agentSays(insider.get(caller)!, 'memory_write', {
          name: `heir-${wire(caller)}`,
          kind: 'gotcha',
          description: 'd',
          body: 'b',
          project: wire(target),
          supersedes: 'report',
        })
        expectNoLeak(answer.text, caller, 'supersedes')
      }
    }

    const retired = await db
      .selectFrom('memories as old')
      .innerJoin('memories as heir', 'heir.id', 'old.superseded_by')
      .innerJoin('events as e', 'e.item_id', 'old.id')
      .innerJoin('sessions as s', 's.id', 'e.session_id')
      .where('e.kind', '=', 'memory.superseded')
      .select(['old.project as from', 'heir.project as to', 's.project as by'])
      .execute()
    expect(retired.map(({ from }) => wire(placed(from))).sort()).toEqual(
      PLACES.map((place) => wire(place)).sort(),
    )
    for (const { from, to, by } of retired) {
      expect(mayWrite(placed(by), placed(from)), `${by} retires in ${from}`).toBe(true)
      expect(mayRead(placed(from), placed(to)), `${from} is led to ${to}`).toBe(true)
    }
  })

  test('from outside a fence, what lies there, what was retired there and what is missing answer alike', async () => {
    await using house = await openHouse()
    const { insider, ids } = await settle(house)
    const ledger = PLACES.find(({ project }) => project === 'ledger')!
    const inside = insider.get(ledger)!
    const write = (agent: Agent, name: string, supersedes?: string, project = 'ledger') =>
      agentSays(agent, 'memory_write', {
        name,
        kind: 'gotcha',
        description: 'd',
        body: 'b',
        project,
        ...(supersedes && { supersedes }),
      })
    await write(inside, 'retired')
    await write(inside, 'heir', 'retired')
    const before = await Promise.all([...ids.values()].map((id) => stateOf(house, id)))
    const outside = await house.connect()
    const alike = ({ text }: { text: string }, name: string) => text.replaceAll(name, 'NAME')

    for (const name of ['report', 'retired', 'missing']) {
      const named = await write(outside, name)
      const { id, name: own } = JSON.parse(named.text).structuredContent
      expect(own).toBe(`${name}-${id.slice(-6).toLowerCase()}`)
      expect(named.text).toContain('"updated":false')
      expect(await inside.call('memory_read', { name: own })).toMatchObject({ id, body: 'b' })
      const there = await write(outside, 'new', name)
      expect(alike(there, name)).toBe(alike(await write(outside, 'new', 'nowhere'), 'nowhere'))
      expect(there.text).toContain('from outside replaces no other; leave supersedes out')
      const far = await write(outside, 'new', `ledger/${name}`, 'atlas')
      const none = await write(outside, 'new', 'ledger/nowhere', 'atlas')
      expect(far.failed).toBe(true)
      expect(alike(far, name)).toBe(alike(none, 'nowhere'))
    }
    expect(await Promise.all([...ids.values()].map((id) => stateOf(house, id)))).toEqual(before)
  })

  test('an answer without what may not be read says which and why', async () => {
    await using house = await openHouse()
    await settle(house)
    const agent = await house.connect()

    const answer = await agent.call('memory_write', {
      name: 'inbound',
      kind: 'gotcha',
      description: 'd',
      body: 'b',
      project: 'ledger',
    })

    expect(answer).toEqual({
      id: expect.any(String),
      name: `inbound-${answer['id'].slice(-6).toLowerCase()}`,
      project: 'ledger',
      updated: false,
      withheld: {
        fields: ['similar'],
        reason:
          'write accepted; project ledger is confidential, so its content goes only to sessions ' +
          'bound to it (fields are dropped whether or not they hold a value)',
      },
    })
  })

  test('a warning does not name a replacement that the caller may not read', async () => {
    await using house = await openHouse()
    const { insider, ids } = await settle(house)
    const atlas = PLACES.find(({ project }) => project === 'atlas')!
    const ledger = PLACES.find(({ project }) => project === 'ledger')!
    const path = 'memory/atlas/report.md'
    const { readFile, writeFile } = await import('node:fs/promises')
    const text = await readFile(`${house.dir}/${path}`, 'utf8')
    await writeFile(
      `${house.dir}/${path}`,
      text
        .replace('invalid_at: null', 'invalid_at: 2026-11-01T00:00:00.000Z')
        .replace('superseded_by: null', `superseded_by: ${ids.get(ledger)}`),
    )

    const { warning } = await insider.get(atlas)!.call('memory_read', { id: ids.get(atlas) })

    expect(warning).toBe('superseded on 2026-11-01; no longer active')
  })
})

async function agentSays(agent: Agent, tool: string, args: Record<string, unknown>) {
  const answer = await agent.raw(tool, args)
  return { text: JSON.stringify(answer), failed: answer.isError === true }
}
