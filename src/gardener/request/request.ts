/** Somebody asks for clean-ups. What is asked for is proposed, and nothing is changed. */
import { record } from '../../kernel/events.ts'
import type { Actor, Kernel } from '../../kernel/kernel.ts'
import { invalid } from '../../kernel/refusal.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import { gardenerAction } from '../events.ts'
import { propose } from '../propose.ts'
import type { Draft } from '../store.ts'
import { understandByModel } from './by-model.ts'
import { judgeOperations, type Judged } from './judge.ts'
import type { Within } from './meant.ts'
import type { Operation } from './operations.ts'
import type { Requested } from './requested.ts'
import { FORMS, understand } from './understand.ts'
import type { Understood } from './understood.ts'

/** Operations of one request, whoever made them of it. */
export const MOST_OPERATIONS = 50

export interface Request {
  request: string
  /** What is asked for in parts; empty: the words say it. */
  operations: readonly Operation[]
}

/**
 * Proposes what a request asks for: its operations, or what rules make of its words, or what a chat model makes of them
 * where one is on. The caller is judged as anywhere.
 *
 * Refused when it is blank, and when the model fails or answers what nobody understands: nothing is proposed then.
 */
export async function requestCleanUps(
  kernel: Kernel,
  by: Actor,
  within: Within,
  { request, operations }: Request,
): Promise<Requested> {
  if (request.trim() === '') throw invalid('request must not be blank: say what is wished, and why')
  const understood =
    operations.length > 0
      ? { operations: [...operations], skipped: [], ambiguous: [] }
      : await understandWords(kernel, within, request)
  if (!understood) return nothing(GUIDANCE)
  const { plan, model, split, guidance } = understood
  const asking = {
    ...{ kernel, within, request },
    ...(plan !== undefined && { plan }),
    ...(model !== undefined && { model }),
    mechanical: operations.length === 0,
  }
  const judged = await judgeOperations(asking, understood.operations)
  const requested = await proposeAsked(kernel, by, {
    drafts: judged.drafts,
    skipped: [...understood.skipped, ...judged.skipped],
    ambiguous: [...understood.ambiguous, ...judged.ambiguous],
  })
  const { total: created } = requested
  const { project } = within.scope
  await remember(kernel, by, { action: 'request', text: request, created, project })
  if (!split) return { ...requested, ...(guidance !== undefined && { guidance }) }
  const { source } = split
  return {
    ...requested,
    guidance: guidance ?? 'ask gardener_split to plan it; it proposes the projects and every move',
    splitIntent: true,
    ...(source !== undefined && { splitSource: source }),
  }
}

/** Rules first: what they understand needs no model, and comes out the same each time. */
async function understandWords(
  kernel: Kernel,
  within: Within,
  words: string,
): Promise<Understood | undefined> {
  const ruled = await understand(kernel, within, words)
  if (ruled || !kernel.chat.state().on) return ruled
  return understandByModel(kernel, within, words)
}

const GUIDANCE =
  'no rule understands this, and no chat model is configured: pass operations, or ask like: ' +
  FORMS.join('; ')

const nothing = (guidance: string): Requested => ({
  ...{ created: [], byKind: {}, total: 0, skipped: [], ambiguous: [] },
  ...{ summary: summaryOf({}), guidance },
})

/** Proposes what was asked for, and says what is proposed already. */
export async function proposeAsked(
  kernel: Kernel,
  by: Actor,
  { drafts, skipped, ambiguous }: Judged,
): Promise<Requested> {
  const made = await propose(kernel, by, drafts)
  const ids = new Set(made.map(({ id }) => id))
  const waiting = drafts.filter(({ id }) => !ids.has(id))
  const byKind = Object.fromEntries(
    [...Map.groupBy(made, ({ kind }) => kind)].map(([kind, { length }]) => [kind, length]),
  )
  return {
    created: made.map(({ id }) => id),
    byKind,
    total: made.length,
    skipped: [
      ...skipped,
      ...waiting.map((draft) => `${called(draft)} is proposed already, or was hidden for good`),
    ],
    ambiguous,
    summary: summaryOf(byKind),
  }
}

function called({ kind, payload }: Draft): string {
  const name =
    'name' in payload ? payload.name : 'drop' in payload ? payload.drop.name : 'what was asked for'
  return `${kind} of "${name}"`
}

function summaryOf(byKind: Record<string, number>): string {
  const parts = Object.entries(byKind).map(([kind, n]) => `${n} ${kind}`)
  return parts.length === 0 ? 'nothing was proposed' : `proposed ${parts.join(', ')}`
}

/** As much of a request as its event holds, in characters. */
const TEXT = 200

/** Notes that somebody asked. */
export const remember = (
  kernel: Kernel,
  by: Actor,
  {
    text,
    project,
    ...said
  }: {
    action: string
    project: string
    text: string
    created: number
    source?: string
    plan?: string
  },
): Promise<string> =>
  inTransaction(kernel, (kernel) =>
    record(kernel, gardenerAction, {
      by,
      project,
      item: null,
      payload: { ...said, text: [...text].slice(0, TEXT).join('') },
    }),
  )
