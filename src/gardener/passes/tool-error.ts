/** What fails again and again: a tool that agents call wrongly, a hook that does not do its work. */
import { wireTime } from '../../kernel/clock.ts'
import { newId } from '../../kernel/id.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { DraftOf } from '../store.ts'
import { argumentsIn, DAYS, failuresOfHooks, failuresOfTools, type Failure } from './failures.ts'
import { compare } from './order.ts'
import type { Pass } from './pass.ts'
import { unsettled } from './unsettled.ts'

/** So often, and of tools in so many sessions: once is chance, and one session is one agent's mistake. */
const TIMES = 3
const SESSIONS = 2
/** Proposals of one run: each becomes work for somebody. */
const MOST_WANTED = 5

export const toolError: Pass = {
  name: 'tool-error',
  async look(kernel, owner, most) {
    const { db } = kernel
    const all = [...(await failuresOfTools(db, owner)), ...(await failuresOfHooks(db, owner))]
    const open = await unsettled(db, owner, all.filter(isRecurring))
    const shown = open.toSorted(byTimes).slice(0, Math.min(most, MOST_WANTED))
    const args = await argumentsIn(db, owner, shown)
    const drafts = shown.map((failure) => draftOf(kernel, this, failure, args.get(failure)!))
    return { drafts, found: open.length }
  },
}

const isRecurring = ({ surface, times, sessions, isFresh }: Failure): boolean =>
  isFresh && times >= TIMES && (surface === 'hook' || sessions.size >= SESSIONS)

/** The most frequent first. */
const byTimes = (a: Failure, b: Failure): number =>
  b.times - a.times || compare(a.project, b.project) || compare(a.key, b.key)

function draftOf(
  kernel: Kernel,
  { name: pass }: Pass,
  { key, surface, project, name, template, title, ...failure }: Failure,
  args: readonly string[],
): DraftOf<'tool_error'> {
  const { examples, sessions, times, first, last } = failure
  const by = surface === 'tool' ? `${sessions.size} sessions of ` : ''
  return {
    id: newId(kernel.clock.now()),
    kind: 'tool_error',
    key,
    evidence_at: last,
    projects: [project],
    items: [],
    pass,
    payload: {
      ...{ project, surface, name, signature: template, examples: [...examples] },
      error_count: times,
      session_count: sessions.size,
      first_seen_at: wireTime(first),
      last_seen_at: wireTime(last),
      suggested_title: title,
      reason: `failed ${times} times in ${by}the last ${DAYS} days`,
      ...(args.length > 0 && { example_args: [...args] }),
    },
  }
}
