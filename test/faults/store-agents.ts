/**
 * Agents that use every durable tool, and a memory of what each call was answered.
 *
 * A call that was answered has happened or has not; one whose answer never came may have done
 * either, and the disk decides which.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openWire, type Wire } from '../helpers/wire.ts'
import type { Random } from '../attacks/attack.ts'
import { notesOnDisk, type Filed, type Store } from './store-process.ts'
import { captured } from './web.ts'

/** What is known of one note; null: there is none. */
export interface State {
  project: string
  title: string
  body: string
  tags: string
}

interface Remembered {
  id: string
  slug: string
  /** The states it may be in: one, or two after a call without an answer. */
  may: (State | null)[]
}

export interface Crew {
  /** Every agent works until the service is gone or `stop` is called. */
  work(): Promise<void>
  /** Resolves when some calls have been answered since `work`, however slow the machine is. */
  underWay(): Promise<void>
  stop(): void
  /** Whatever is answered from now on counts as not answered: nobody will have read it. */
  freeze(): void
  /** Compares the disk with what is remembered; what may be is settled by it. */
  verify(): Promise<string[]>
  counts: { done: number; refused: number; unknown: number }
  /** The texts of refused calls. */
  refusals: Map<string, number>
}

/** Given by the tools themselves. */
const OWN_TAGS = new Set(['created-by:agent', 'captured-url'])
const UNDER_WAY_MS = 20_000
const PROJECTS = ['atlas', 'delta', 'ember']

/** Without the time that each append puts before its text. */
const timeless = (body: string): string => body.replaceAll(/^\d{4}-\d\d-\d\d \d\d:\d\d -- /gm, '')

const stateOf = ({ project, title, body, tags }: Filed): State => ({
  project,
  title,
  body: timeless(body),
  tags: tags.filter((tag) => !OWN_TAGS.has(tag)).join(),
})

const same = (a: State | null, b: State | null): boolean => JSON.stringify(a) === JSON.stringify(b)

export async function openCrew(store: Store, random: Random, agents = 8): Promise<Crew> {
  const wires = await Promise.all(Array.from({ length: agents }, () => openWire(store)))
  const notes = new Map<string, Remembered>()
  const counts = { done: 0, refused: 0, unknown: 0 }
  const refusals = new Map<string, number>()
  let [stopped, frozen, serial, since] = [false, false, 0, 0]

  /** Calls, and remembers what may be true from now on. */
  async function act(
    wire: Wire,
    note: Remembered,
    tool: string,
    args: Record<string, unknown>,
    after: State | null,
  ): Promise<boolean> {
    const [before = null] = note.may
    note.may = [before, after]
    const answer = await wire
      .ask('tools/call', { name: tool, arguments: args })
      .then(({ status, body }) => (status === 200 ? body?.result : undefined))
      .catch(() => undefined)
    if (answer === undefined || frozen) {
      counts.unknown++
      return false
    }
    if (answer.isError) {
      const text = String(answer.content[0].text)
      refusals.set(text, (refusals.get(text) ?? 0) + 1)
      counts.refused++
      note.may = [before]
      return true
    }
    counts.done++
    note.may = [after]
    note.id ||= answer.structuredContent.id
    return true
  }

  function step(agent: number, wire: Wire, own: Remembered[]): Promise<boolean> {
    const word = `w${agent}x${++serial}`
    const note = own.length > 3 || random.int(3) === 0 ? random.pick(own) : undefined
    const [known] = note?.may ?? []
    if (!note || !known || note.id === '') {
      const slug = `note-${word}`
      const made: Remembered = { id: '', slug, may: [null] }
      own.push(made)
      notes.set(slug, made)
      const project = random.pick(PROJECTS)
      if (store.web && random.int(3) === 0) {
        const { url, title, body } = captured(slug)
        const state = { project, title, body, tags: '' }
        return act(wire, made, 'capture_url', { url, project }, state)
      }
      const [title, body] = [`Note ${word}`, `${word}\n`]
      const state = { project, title, body, tags: '' }
      return act(wire, made, 'notes_create', { title, body, project }, state)
    }
    const { id } = note
    const grown = `${known.body.replace(/[\r\n]+$/, '')}\n\n${word}\n`
    switch (random.int(7)) {
      case 0:
        return act(wire, note, 'notes_append', { id, body: word }, { ...known, body: grown })
      case 1: {
        const [old = ''] = known.body.split('\n')
        const edits = [{ old_string: old, new_string: `${word} ${old}` }]
        return act(
          wire,
          note,
          'notes_edit',
          { id, edits },
          { ...known, body: known.body.replace(old, `${word} ${old}`) },
        )
      }
      case 2:
        return act(
          wire,
          note,
          'notes_update',
          { id, body: `${word}\n`.repeat(50) },
          { ...known, body: `${word}\n`.repeat(50) },
        )
      case 3:
        return act(
          wire,
          note,
          'notes_update',
          { id, title: word, tags: [word] },
          { ...known, title: word, tags: word },
        )
      case 4: {
        const project = random.pick(PROJECTS.filter((each) => each !== known.project))
        return act(wire, note, 'notes_update', { id, project }, { ...known, project })
      }
      case 5:
        own.splice(own.indexOf(note), 1)
        return act(wire, note, 'notes_delete', { id }, null)
      default:
        return act(wire, note, 'notes_append', { id, body: word }, { ...known, body: grown })
    }
  }

  const owned = wires.map(() => [] as Remembered[])
  return {
    counts,
    refusals,
    stop: () => void (stopped = true),
    freeze: () => void (frozen = true),
    async underWay() {
      const end = performance.now() + UNDER_WAY_MS
      while (counts.done < since + agents && performance.now() < end) await sleep(10)
    },
    async work() {
      since = counts.done
      stopped = false
      frozen = false
      await Promise.all(
        wires.map(async (wire, agent) => {
          while (!stopped && (await step(agent, wire, owned[agent]!)));
        }),
      )
    },
    async verify() {
      const disk = new Map<string, Filed>()
      const wrong: string[] = []
      for (const file of await notesOnDisk(store.dataDir)) {
        if (disk.has(file.slug)) wrong.push(`${file.path} and ${disk.get(file.slug)?.path}`)
        disk.set(file.slug, file)
      }
      for (const note of notes.values()) {
        const file = disk.get(note.slug)
        disk.delete(note.slug)
        const found = file ? stateOf(file) : null
        if (!note.may.some((state) => same(state, found))) {
          wrong.push(
            `${note.slug} is ${JSON.stringify(found)} and should be ${JSON.stringify(note.may)}`,
          )
        }
        if (note.id !== '' && file && file.id !== note.id) wrong.push(`${note.slug} has another id`)
        note.id ||= file?.id ?? ''
        note.may = [found]
        if (!found) notes.delete(note.slug)
      }
      for (const own of owned) own.splice(0, own.length, ...own.filter(({ may }) => may[0]))
      return [...wrong, ...[...disk.keys()].map((slug) => `${slug} was never written`)]
    },
  }
}
