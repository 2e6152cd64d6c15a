/** One memory with all that its reader shows: where it comes from, what it replaced, and of what use it was. */
import { join } from 'node:path'
import { editorUrl } from '../editor.ts'
import { calledSessions } from '../sessions/called.ts'
import type { ScreenApp } from '../screen.ts'
import { findMemory, predecessorsOf, successorsOf } from './queries.ts'
import { tellingsOf, type Telling } from './tellings.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Shown within this time it is fresh. */
const FRESH_DAYS = 7
/** Not shown for so long it goes stale. */
const STALE_DAYS = 45

export type Reader = NonNullable<Awaited<ReturnType<typeof readerOf>>>

/** Returns undefined when there is no memory with this id. Tellings are those of one session, if one is given. */
export async function readerOf({ kernel, owner }: ScreenApp, id: string, session = '') {
  const memory = await findMemory(kernel, owner, id)
  if (!memory) return undefined
  const { db, config, clock } = kernel
  const [supersedes, successors, told, sources] = await Promise.all([
    predecessorsOf(db, owner, id),
    successorsOf(db, owner, id),
    tellingsOf(db, owner, id, session),
    calledSessions(db, owner, [memory.source_session].filter(Boolean)),
  ])
  const source = sources.get(memory.source_session)
  const { path, problem, source_session, superseded_by: _, utility, ...rest } = memory
  const { read_raw, recall_raw, prompt_raw, invalid_at, ...shown } = rest
  const abs_path = join(config.data_dir, path)
  const [heir] = successors
  return {
    ...shown,
    body: memory.body,
    body_available: problem === null,
    /** The body says no more than the description does. */
    repeats: sameWords(memory.body, memory.description),
    problem,
    invalid_at,
    utility: utility === 0 ? null : utility,
    utility_parts:
      utility === 0
        ? null
        : partsOf(utility, { read: read_raw, recall: recall_raw, prompt: prompt_raw }),
    freshness: freshnessOf(clock.now(), memory.last_injected ?? null, memory.created),
    ...(source && { harness: source.external_client, source_session: source.called }),
    source_session_id: source_session || null,
    replaced_by: heir?.name ?? null,
    replaced_by_id: heir?.id ?? null,
    supersedes,
    successors,
    told: told.map((each) => ({ ...each, ...WAYS[each.way] })),
    told_session: session || null,
    file_path: path,
    abs_path,
    editor_url: editorUrl(kernel, abs_path),
  }
}

/** How a telling is shown: its glyph, and its words. */
const WAYS: Record<Telling['way'], { tone: string; words: string }> = {
  read: { tone: 'called', words: 'read' },
  recall: { tone: 'injected', words: 'found by recall' },
  prompt: { tone: 'injected', words: 'matched a prompt' },
  shown: { tone: 'briefed', words: 'shown in a briefing' },
}

/** What each way of asking adds to the score; together they are the score. */
function partsOf(utility: number, raw: Record<'read' | 'recall' | 'prompt', number | null>) {
  const whole = (raw.read ?? 0) + (raw.recall ?? 0) + (raw.prompt ?? 0)
  const part = (n: number | null) => Math.round((100 * utility * (n ?? 0)) / whole) / 100
  return { read: part(raw.read), recall: part(raw.recall), prompt: part(raw.prompt) }
}

function freshnessOf(now: Date, shown: Date | null, created: Date): 'fresh' | 'stale' | null {
  const days = (time: Date) => (now.getTime() - time.getTime()) / DAY_MS
  if (shown && days(shown) <= FRESH_DAYS) return 'fresh'
  return days(shown ?? created) > STALE_DAYS ? 'stale' : null
}

const sameWords = (body: string, description: string): boolean =>
  body.trim() === '' || plain(body) === plain(description)

/** Without markup, case and punctuation at its end. */
const plain = (text: string): string =>
  text
    .slice(0, 4_000)
    .toLowerCase()
    .replaceAll(/[#*_`>~-]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.!?;:]{1,8}$/, '')
