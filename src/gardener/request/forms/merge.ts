/** Requests to merge: one memory into another, duplicates that are named, and duplicates that are to be found. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { duplicatesWithin } from '../../duplicates/duplicates.ts'
import type { Brief } from '../../payloads.ts'
import type { FormOf } from '../grammar.ts'
import { memoryOfAge, type Within } from '../meant.ts'
import type { Operation } from '../operations.ts'
import type { Understood } from '../understood.ts'
import { isProse, lookUp, MOST, nothingYet, referTo, settle, settleOne } from './refer.ts'

export async function mergeInto(
  kernel: Kernel,
  within: Within,
  { drop, keep, reason }: FormOf<'merge'>,
): Promise<Understood | undefined> {
  const drops = await lookUp(kernel, within, drop)
  const kept = await referTo(kernel, within, keep)
  if (isProse(...drops.all, kept)) return undefined
  const answer = nothingYet()
  const memories = settle(answer, drops)
  const memory = settleOne(answer, kept)
  if (memory) answer.operations = merging(answer, memories, memory, reason)
  else if ('none' in kept.meant) answer.guidance = NEW_ONE
  return answer
}

const NEW_ONE = 'to write a new memory of several, ask: consolidate A, B into NAME'

/** Drops all of them for the one that stays. */
function merging(
  answer: Understood,
  memories: readonly Brief[],
  keep: Brief,
  reason: string | undefined,
): Operation[] {
  const others = memories.filter(({ id }) => id !== keep.id)
  if (memories.length > 0 && others.length === 0) {
    answer.skipped.push(`both are the same memory, "${keep.name}"`)
  }
  return others.map(({ id: drop }) => ({
    ...{ op: 'merge' as const, keep: keep.id, drop },
    ...(reason !== undefined && { reason }),
  }))
}

/** Which one stays is not known before all that are named are. */
export async function mergeDuplicates(
  kernel: Kernel,
  within: Within,
  { of, keep, reason }: FormOf<'duplicates'>,
): Promise<Understood | undefined> {
  const references = await lookUp(kernel, within, of)
  if (isProse(...references.all)) return undefined
  const answer = nothingYet()
  const memories = settle(answer, references)
  if (answer.skipped.length > 0 || memories.length < 2) {
    if (memories.length === 1 && answer.skipped.length === 0) {
      answer.skipped.push(`all of them are the same memory, "${memories[0]!.name}"`)
    }
    return answer
  }
  const stays =
    'pick' in keep
      ? await ofAge(kernel, within, memories, keep.pick)
      : await oneOf(kernel, within, answer, memories, keep.name)
  if (stays) answer.operations = merging(answer, memories, stays, reason)
  return answer
}

async function ofAge(
  kernel: Kernel,
  within: Within,
  memories: readonly Brief[],
  pick: 'newer' | 'older',
): Promise<Brief | undefined> {
  const ids = memories.map(({ id }) => id)
  const meant = await memoryOfAge(kernel, within, ids, pick)
  return 'memory' in meant ? meant.memory : undefined
}

/** The one of them that is named. Several that bear the name are none, unless one alone is among them. */
async function oneOf(
  kernel: Kernel,
  within: Within,
  answer: Understood,
  memories: readonly Brief[],
  name: string,
): Promise<Brief | undefined> {
  const reference = await referTo(kernel, within, name)
  const { meant } = reference
  const bearing = 'among' in meant ? meant.among : 'memory' in meant ? [meant.memory] : []
  const named = memories.filter(({ id }) => bearing.some((one) => one.id === id))
  if (named.length === 1) return named[0]
  const memory = settleOne(answer, reference)
  if (memory) answer.skipped.push(`"${memory.name}" is none of the duplicates: keep one of them`)
  return undefined
}

export async function findDuplicates(
  kernel: Kernel,
  within: Within,
  { topic }: FormOf<'find-duplicates'>,
): Promise<Understood> {
  const answer = nothingYet()
  const pairs = await duplicatesWithin(kernel, within, topic, MOST)
  answer.operations = pairs.map(({ keep, drop, score }) => ({
    op: 'merge',
    keep: keep.id,
    drop: drop.id,
    reason: `they say the same: likeness ${score.toFixed(2)}`,
  }))
  if (pairs.length === 0) answer.skipped.push('no two memories there are alike enough')
  if (pairs.length === MOST) {
    answer.skipped.push(
      `these ${MOST} pairs are the likest: there may be more, ask again once they are decided`,
    )
  }
  return answer
}
