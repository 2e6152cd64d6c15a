/** Sessions, memories and notes of one project: the lists of these sections, held to it. */
import { once } from '../../kernel/once.ts'
import { notFound } from '../../kernel/refusal.ts'
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
  const list = once(() => sessionsOf(app, asked, held.sessions.at(slug, query)))
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
export async function memoriesTab(app: ScreenApp, row: Row, query: One): Promise<TabView> {
  const { slug, parent_slug: parent, inherited } = row
  const { db } = app.kernel
  const { owner } = app
  const asked = held.memories.read(query, slug)
  const above = parent !== null && inherited > 0 ? { ...asked, project: parent } : null
  const item = query.item.toUpperCase()
  const chosen = item === '' ? undefined : await memoryReaderOf(app, item)
  const isHere = chosen?.project === slug || (above && chosen?.project === parent)
  if (item !== '' && !isHere) throw notFound(`memory ${item}`)
  const isBelieved = asked.status === undefined || asked.status === 'active'
  const told = above && isBelieved ? { ...above, status: 'active' as const } : null
  const opened = once(async () => {
    if (chosen) return chosen
    const own = await latestMemory(db, owner, asked)
    const id = own ?? (told ? await latestMemory(db, owner, told) : undefined)
    return id === undefined ? null : ((await memoryReaderOf(app, id)) ?? null)
  })
  const rail = once(async () => {
    const page = item === '' ? asked.page : await pageHolding(db, owner, asked, item)
    const open = (await opened()) ?? undefined
    const at = held.memories.at(slug, query)
    const own = await memoriesOf(app, { ...asked, page }, { open, at })
    if (!told || page > 1) return own
    // What is more than fits stands on the page of the parent.
    const { groups } = await memoriesOf(
      app,
      { ...told, page: 1 },
      { at: held.memories.at(told.project, query) },
    )
    const noted = groups.map((group) => ({ ...group, note: `inherited by ${slug}` }))
    return { ...own, groups: [...own.groups, ...noted] }
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

export async function notesTab(app: ScreenApp, { slug }: Row, query: One): Promise<TabView> {
  const { db } = app.kernel
  const { owner } = app
  const asked = held.notes.read(query, slug)
  const item = query.item.toUpperCase()
  const chosen = item === '' ? undefined : await noteReaderOf(app, item)
  if (item !== '' && chosen?.project !== slug) throw notFound(`note ${item}`)
  const rail = once(async () => {
    const page = item === '' ? asked.page : await pageHoldingNote(db, owner, asked, item)
    return notesOf(app, { ...asked, page }, held.notes.at(slug, query))
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
        if (chosen) return chosen
        const id = await latestNote(db, owner, asked)
        return id === undefined ? null : ((await noteReaderOf(app, id)) ?? null)
      },
      chosen: item !== '',
    },
  }
}
