/**
 * Trials: what was tried, what was expected of it and what came of it. Behind the research feature:
 * while it is off none of this is shown or searched, and all of it is kept.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in trials/. A lab
 * is only the label of trials; the session, else the connection, remembers which one is open.
 */
import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { invalid, notFound } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { indexItem } from '../passages/passages.ts'
import { judgeAdd, refuseUnwritable, type Scope } from '../projects/projects.ts'
import { labOfSession } from '../sessions/sessions.ts'
import { trialRecorded } from './events.ts'
import { findTrial, insertTrial, listTrials, setStar, type Metrics, type Trial } from './store.ts'

export { trialRecorded } from './events.ts'
export { Listed, showListed, Shown, showTrial } from './shown.ts'
export { listTrials, type Trial, type TrialFilter } from './store.ts'

/** In code points: these stand in lists, on one line. */
const LONGEST = { lab: 200, title: 500, outcome: 200 }
/** Each of the three texts, and the metrics as JSON: trials are read many at once. */
const LONGEST_TEXT = 20_000

export interface TrialDraft {
  lab: string
  title: string
  changes?: string | undefined
  expected?: string | undefined
  actual?: string | undefined
  /** Free; usually pass, fail, partial or inconclusive. */
  outcome?: string | undefined
  metrics?: Metrics | undefined
}

/**
 * Writes a trial down. `project` has been resolved; whether the scope may write there is judged once
 * more beside the row.
 */
export async function recordTrial(
  kernel: Kernel,
  by: Actor,
  { project, scope }: { project: string; scope: Scope },
  draft: TrialDraft,
): Promise<Omit<Trial, 'session'>> {
  const trial = { id: newId(kernel.clock.now()), project, ...checkDraft(draft) }
  const { id, lab, title, outcome, changes, expected, actual } = trial
  return inTransaction(kernel, async (kernel) => {
    await judgeAdd(kernel.db, scope, project)
    const { created_at } = await insertTrial(kernel.db, { ...trial, session_id: by.session })
    await indexItem(kernel, {
      kind: 'trial',
      id,
      project,
      active: true,
      title,
      description: `${lab} ${outcome}`,
      text: [changes, expected, actual].join('\n'),
      whole: true,
    })
    const payload = { lab, title, outcome }
    await record(kernel, trialRecorded, { by, project, item: id, payload })
    return { ...trial, created_at }
  })
}

/** The draft as it will be kept. Refuses an invalid one before anything is written. */
export function checkDraft(
  draft: TrialDraft,
): Omit<Trial, 'id' | 'project' | 'created_at' | 'session'> {
  const { changes = '', expected = '', actual = '', outcome = '', metrics = {} } = draft
  for (const [what, text] of Object.entries({ changes, expected, actual })) checkText(what, text)
  checkMetrics(metrics, 'metrics')
  checkText('metrics', JSON.stringify(metrics))
  return {
    lab: checkLab(draft.lab),
    title: checkLine('title', draft.title),
    changes,
    expected,
    actual,
    outcome: outcome.trim() === '' ? '' : checkLine('outcome', outcome),
    metrics,
  }
}

/** The lab of a call that names none: the open one, '' when there is none. */
export async function openLab(
  { db }: Kernel,
  { session, lab }: { session: { id: string } | null; lab: string },
): Promise<string> {
  const own = session ? await labOfSession(db, session.id) : ''
  return own || lab
}

/** One trial, of whatever lab. */
export async function getTrial(db: Db, scope: Scope, id: string): Promise<Trial> {
  const [trial] = await listTrials(db, scope, { id, limit: 1 })
  if (!trial) throw notFound(`trial with id ${JSON.stringify(id)}`)
  return trial
}

/** Sets or clears the star of a trial. Nothing else of a trial ever changes. */
export async function starTrial(
  { db }: Kernel,
  scope: Scope,
  id: string,
  favorite: boolean,
): Promise<{ id: string; project: string }> {
  const trial = await findTrial(db, id, scope)
  refuseUnwritable(scope, trial, `trial with id ${JSON.stringify(id)}`)
  await setStar(db, id, favorite)
  return { id, project: trial.project }
}

/** A lab's name is kept as it was given, without surrounding spaces. */
export const checkLab = (asked: string): string => checkLine('lab', asked)

function checkLine(what: keyof typeof LONGEST, asked: string): string {
  const text = asked.trim()
  if (text === '') throw invalid(`${what} must not be blank`)
  if (/\p{Cc}/u.test(text)) throw invalid(`${what} must be one line without control characters`)
  if ([...text].length > LONGEST[what]) {
    throw invalid(`${what} must have at most ${LONGEST[what]} characters`)
  }
  return text
}

function checkText(what: string, text: string): void {
  if (text.length > LONGEST_TEXT && [...text].length > LONGEST_TEXT) {
    throw invalid(
      `${what} must have at most ${LONGEST_TEXT} characters; keep the rest with notes_create and name it here`,
    )
  }
}

/** JSON has no such numbers: they would be kept as null. */
export function checkMetrics(metrics: unknown, path: string): void {
  if (typeof metrics === 'number' && !Number.isFinite(metrics)) {
    throw invalid(`invalid ${path}: the number is too large to be kept`)
  }
  if (typeof metrics !== 'object' || metrics === null) return
  for (const [name, value] of Object.entries(metrics)) {
    checkMetrics(value, `${path}.${name.slice(0, 80)}`)
  }
}
