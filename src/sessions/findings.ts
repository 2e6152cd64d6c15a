/** What a session leaves to later ones: its findings, and what went wrong. */
import { record } from '../kernel/events.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { dropItem, indexItem } from '../passages/passages.ts'
import { ensureProject, scopeOf, type Place } from '../projects/projects.ts'
import { agentMishap } from './events.ts'
import { tellsAnything } from './last-words.ts'
import { memoriesIn, type SessionRow } from './store.ts'

/** The findings of a session whose client ended without a word. Never shown as findings. */
export const NO_SUMMARY = '(auto) session ended, no summary harvested'

/** Marks findings that are a client's last words, and not what the agent wrote. */
const HARVESTED = '(auto-harvested) '
/** In code points, the mark left out. */
const LONGEST_HARVEST = 2_000

/** Whether findings say anything. */
export const hasFindings = (findings: string): boolean =>
  findings.trim() !== '' && findings.trim() !== NO_SUMMARY

/**
 * A client's last words as findings: marked and cut. '' when they tell the next agent nothing.
 */
export function harvestOf(said: string | undefined): string {
  const text = said?.trim().replace(HARVESTED.trim(), '').trim() ?? ''
  if (!hasFindings(text) || !tellsAnything(text)) return ''
  const points = [...text.slice(0, 2 * LONGEST_HARVEST)]
  return HARVESTED + points.slice(0, LONGEST_HARVEST).join('')
}

/** Lets recall find the findings, or forget them when they say nothing. */
export async function indexFindings(
  kernel: Kernel,
  { id, name, project, findings }: Pick<SessionRow, 'id' | 'name' | 'project' | 'findings'>,
): Promise<void> {
  if (!hasFindings(findings)) return dropItem(kernel, 'session', id)
  // A session may be older than the row of its project, as after a lost database.
  await ensureProject(kernel, project)
  return indexItem(kernel, {
    kind: 'session',
    id,
    project,
    active: true,
    title: name,
    text: findings,
    whole: true,
  })
}

/** Records each mishap, with the memories that it names. Returns how many. */
export async function recordMishaps(
  kernel: Kernel,
  by: Actor,
  place: Place,
  mishaps: readonly string[],
): Promise<number> {
  const reported = mishaps.map((each) => each.trim()).filter((each) => each !== '')
  for (const description of reported) {
    const item_ids = await namedMemories(kernel, place, description)
    await record(kernel, agentMishap, {
      by,
      project: place.project,
      item: null,
      payload: { description, ...(item_ids.length > 0 && { item_ids }) },
    })
  }
  return reported.length
}

/** A memory is named where its name stands as a whole word: `use-utc`, not `reuse-utc` or `use-utc-2`. */
async function namedMemories({ db }: Kernel, place: Place, text: string): Promise<string[]> {
  const found = await memoriesIn(db, text, scopeOf(place))
  return found.filter(({ name }) => standsIn(text, name)).map(({ id }) => id)
}

const PART = /[A-Za-z0-9_-]/

function standsIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + name.length]]
    if (!PART.test(before) && !PART.test(after)) return true
  }
  return false
}
