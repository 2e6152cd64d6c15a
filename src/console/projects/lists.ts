/** Sessions, memories and notes of one project: the lists of these sections, held to it. */
import { once } from '../../kernel/once.ts'
import { latestMemory, pageHolding } from '../memories/queries.ts'
import { List as Memories, railOf as memoriesOf } from '../memories/rail.ts'
import { readerOf as memoryReaderOf } from '../memories/reader.ts'
import { latestNote, pageHolding as pageHoldingNote } from '../notes/queries.ts'
import { List as Notes, railOf as notesOf } from '../notes/rail.ts'
import { readerOf as noteReaderOf } from '../notes/reader.ts'
import type { ScreenApp } from '../screen.ts'
import { List as Sessions, listOf as sessionsOf } from '../sessions/list.ts'
import type { Row } from './rows.ts'
import { heldList, moreOf, type One, type TabView } from './tabs.ts'

const held = {
  sessions: heldList(Sessions, 'sessions'),
  memories: heldList(Memories, 'memories'),
  notes: heldList(Notes, 'notes'),
}

export function sessionsTab(app: ScreenApp, { slug }: Row, query: One): TabView {
  const asked = held.sessions.read(query, slug)
  const list = once(() => sessionsOf(app, asked, held.sessions.at(slug)))
  return {
    data: {
      async listed() {
        const { sessions, counts } = await list()
        return { sessions, counts }
      },
      more: async () => moreOf(await list()),
    },
    only: {
      list,
      narrowing: async () => {
        const { narrowing, count, window_label: words } = await list()
        return { ...narrowing, count, words }
      },
    },
  }
}

/** Its own by kind, those that are believed no longer behind them, and what it inherits. */
export function memoriesTab(app: ScreenApp, row: Row, query: One): TabView {
  const { slug, parent_slug, inherited } = row
  const { db } = app.kernel
  const { owner } = app
  const asked = held.memories.read(query, slug)
  const item = query.item.toUpperCase()
  const opened = once(async () => {
    const id = item === '' ? await latestMemory(db, owner, asked) : item
    return id === undefined ? null : ((await memoryReaderOf(app, id)) ?? null)
  })
  const rail = once(async () => {
    const page = item === '' ? asked.page : await pageHolding(db, owner, asked, item)
    const open = (await opened()) ?? undefined
    const own = await memoriesOf(app, { ...asked, page }, { open, at: held.memories.at(slug) })
    if (parent_slug === null || inherited === 0 || asked.page > 1) return own
    const above = await memoriesOf(app, { ...asked, project: parent_slug, status: 'active' })
    const groups = above.groups.map((group) => ({ ...group, note: `inherited by ${slug}` }))
    return { ...own, groups: [...own.groups, ...groups] }
  })
  return {
    data: {
      async listed() {
        const { groups, inactive, count, inactive_count } = await rail()
        return {
          groups: groups.map(({ project, count, kinds }) => ({ project, count, kinds })),
          ...{ inactive, active_count: count, inactive_count },
        }
      },
    },
    only: {
      rail,
      narrowing: async () => {
        const { narrowing, count, inactive_count: ended } = await rail()
        const words = ended > 0 ? `believed · ${ended.toLocaleString('en')} no longer` : 'believed'
        return { ...narrowing, count, words }
      },
      open: opened,
      chosen: item !== '',
    },
  }
}

export function notesTab(app: ScreenApp, { slug }: Row, query: One): TabView {
  const { db } = app.kernel
  const { owner } = app
  const asked = held.notes.read(query, slug)
  const item = query.item.toUpperCase()
  const rail = once(async () => {
    const page = item === '' ? asked.page : await pageHoldingNote(db, owner, asked, item)
    return notesOf(app, { ...asked, page }, held.notes.at(slug))
  })
  return {
    data: {
      async listed() {
        const { groups, count } = await rail()
        return {
          groups: groups.map(({ project, count, notes }) => ({ project, count, notes })),
          count,
        }
      },
    },
    only: {
      rail,
      narrowing: async () => {
        const { narrowing, count } = await rail()
        return { ...narrowing, count, words: count === 1 ? 'note' : 'notes' }
      },
      async open() {
        const id = item === '' ? await latestNote(db, owner, asked) : item
        return id === undefined ? null : ((await noteReaderOf(app, id)) ?? null)
      },
      chosen: item !== '',
    },
  }
}
