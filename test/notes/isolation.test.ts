import { describe, expect, test } from 'vitest'
import type { Isolation } from '../../src/projects/projects.ts'
import {
  LEVELS,
  reads as mayRead,
  writes as mayWrite,
  type Level as Place,
} from '../helpers/fences.ts'
import { openHouse, type House } from '../helpers/house.ts'
import type { Agent } from '../helpers/agent.ts'

/** From every place an agent calls, in each lies a note with this word of its own. */
const canary = ({ project }: Place): string => `canary${project || 'world'}quokka`
const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'

interface Setting {
  house: House
  insider: Map<string, Agent>
  notes: Map<string, string>
}

async function settle(house: House): Promise<Setting> {
  const insider = new Map<string, Agent>()
  const notes = new Map<string, string>()
  for (const place of LEVELS) {
    const agent = await house.inside(place.project, place.isolation)
    const { id } = await agent.call('notes_create', {
      title: `Report ${canary(place)}`,
      description: `of ${canary(place)}`,
      body: `body ${canary(place)}`,
    })
    insider.set(place.project, agent)
    notes.set(place.project, id)
  }
  return { house, insider, notes }
}

/** The text of an answer, whether it is a result or an error. */
async function said(agent: Agent, tool: string, args: Record<string, unknown>): Promise<string> {
  return JSON.stringify(await agent.raw(tool, args))
}

/** No answer may hold a canary of a place that the caller may not read. */
function expectNoLeak(text: string, caller: Place, about: string): void {
  for (const place of LEVELS) {
    if (mayRead(caller, place)) continue
    // What the caller itself sent comes back to it.
    if (about.includes(canary(place))) continue
    expect(
      text,
      `${canary(place)} reached ${caller.project || 'global'} by ${about}`,
    ).not.toContain(canary(place))
  }
}

describe('between projects', () => {
  test('nothing is read, found or named that the fences keep', async () => {
    await using house = await openHouse()
    const { insider, notes } = await settle(house)

    for (const caller of LEVELS) {
      const agent = insider.get(caller.project)!
      for (const target of LEVELS) {
        const id = notes.get(target.project)!
        const project = target.project || 'global'
        const allowed = mayRead(caller, target)

        const byId = await said(agent, 'notes_read', { id })
        expect(byId.includes(canary(target)), `${caller.project} reads ${project}`).toBe(allowed)
        if (!allowed) {
          const unknown = await said(agent, 'notes_read', { id: UNKNOWN })
          expect(byId.replaceAll(id, UNKNOWN)).toBe(unknown)
        }

        const slug = `report-${canary(target)}`
        const bySlug = await said(agent, 'notes_read', { slug, project })
        expect(bySlug.includes(`body ${canary(target)}`)).toBe(allowed)
        const found = await said(agent, 'recall', { query: canary(target), project })
        expect(found.includes(id)).toBe(allowed)

        for (const [text, about] of [
          [byId, 'notes_read'],
          [bySlug, slug],
          [found, `recall ${canary(target)}`],
          [await said(agent, 'recall', { query: 'report body' }), 'recall'],
        ] as const) {
          expectNoLeak(text, caller, about)
        }
      }
    }
  })

  test('writes land exactly where the fences let them, and show nothing of what they may not read', async () => {
    await using house = await openHouse()
    const { insider, notes } = await settle(house)

    for (const caller of LEVELS) {
      const agent = insider.get(caller.project)!
      for (const target of LEVELS) {
        const id = notes.get(target.project)!
        const [reads, writes] = [mayRead(caller, target), mayWrite(caller, target)]
        const where = `${caller.project || 'global'} → ${target.project || 'global'}`
        for (const [tool, args] of [
          ['notes_append', { body: 'more' }],
          ['notes_edit', { edits: [{ old_string: 'body', new_string: 'body' + caller.project }] }],
          ['notes_edit', { edits: [{ old_string: 'not there', new_string: 'x' }] }],
          ['notes_update', { description: 'changed' }],
          ['notes_update', { description: 'x', expect_hash: 'ab'.repeat(32) }],
        ] as [string, Record<string, unknown>][]) {
          const before = await house.note(id)
          const answer = await agent.raw(tool, { id, ...args })
          const text = JSON.stringify(answer)
          const changed = (await house.note(id)).content_hash !== before.content_hash
          expectNoLeak(text, caller, tool)
          if (writes) continue
          expect(changed, where).toBe(false)
          if (!reads) {
            const unknown = await said(agent, tool, { id: UNKNOWN, ...args })
            expect(text).toContain(`no note with id`)
            expect(text.replaceAll(id, UNKNOWN)).toBe(unknown)
          } else expect(text).toContain('can write nowhere else')
        }
      }
    }
  })

  test('a note from outside is named by its title and its id, whether or not the name was free', async () => {
    await using house = await openHouse()
    const { insider } = await settle(house)
    const agent = await house.connect()
    const write = (title: string, more: object = {}) =>
      agent.call('notes_create', { title, body: 'b', project: 'ledger', ...more })
    const taken = `Report ${canary(LEVELS[3]!)}`

    for (const [title, slug] of [
      [taken, 'report-canaryledgerquokka'],
      ['Nobody has this', 'nobody-has-this'],
    ] as const) {
      const note = await write(title)
      const own = `${slug}-${note.id.slice(-6).toLowerCase()}`
      expect(note).toEqual({ id: note.id, slug: own, title, project: 'ledger' })
      expect(await house.files()).toContain(`notes/ledger/${own}.md`)
      const read = await insider.get('ledger')!.call('notes_read', { slug: own })
      expect(read).toMatchObject({ id: note.id, title, tags: ['created-by:agent'] })
    }
    await expect(write('Joins', { plan: 'harbour' })).rejects.toThrow(
      'a plan of project ledger is joined by sessions bound to it alone; leave the plan out',
    )
    await expect(write('Joins', { tags: ['plan:harbour'] })).rejects.toThrow('leave the plan out')
  })

  test('a note that moves into a fenced project from outside is named anew there', async () => {
    await using house = await openHouse()
    const { insider } = await settle(house)
    const agent = insider.get('atlas')!
    const title = `Report ${canary(LEVELS[3]!)}`
    const { id, slug } = await agent.call('notes_create', { title, body: 'b' })

    await agent.call('notes_update', { id, project: 'ledger' })

    const own = `${slug}-${id.slice(-6).toLowerCase()}`
    expect(await house.files()).toContain(`notes/ledger/${own}.md`)
    expect(await house.files()).not.toContain(`notes/atlas/${slug}.md`)
    expect(await insider.get('ledger')!.call('notes_read', { id })).toMatchObject({ slug: own })
    await expect(agent.call('notes_read', { id })).rejects.toThrow('no note with id')
    const step = await agent.call('notes_create', { title: 'Step', body: 'b', plan: 'harbour' })
    await expect(agent.call('notes_update', { id: step.id, project: 'ledger' })).rejects.toThrow(
      'leave the plan out',
    )
  })

  test.each<[Isolation, string]>([
    ['confidential', 'project out is confidential; only a session bound to it can read it'],
    ['sealed', 'project out is sealed; only a session bound to it can read it'],
  ])('a project that is %s says so when it is asked for by name', async (isolation, rule) => {
    await using house = await openHouse()
    await house.inside('out', isolation)
    const agent = await house.connect()

    await expect(agent.call('recall', { query: 'x', project: 'out' })).rejects.toThrow(
      `recall: ${rule}`,
    )
    await expect(agent.call('notes_read', { slug: 'x', project: 'out' })).rejects.toThrow(
      `notes_read: ${rule}`,
    )
  })

  test('a note moves out of a fenced project only with a session inside, and never from outside', async () => {
    await using house = await openHouse()
    const { insider, notes } = await settle(house)

    const outside = insider.get('atlas')!
    await expect(
      outside.call('notes_update', { id: notes.get('ledger'), project: 'atlas' }),
    ).rejects.toThrow('no note with id')
    await expect(
      insider.get('ledger')!.call('notes_update', { id: notes.get('ledger'), project: 'atlas' }),
    ).rejects.toThrow('session is bound to confidential project ledger and can write nowhere else')
    expect(await house.files()).toContain(`notes/ledger/report-canaryledgerquokka.md`)
  })
})
