/** A run of the gardener: pass after pass, each of which may fail without the others. Only proposals are written. */
import { armUtility } from '../demand/demand.ts'
import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import { conflict, invalid, Refusal } from '../kernel/refusal.ts'
import { withLease } from '../postgres/leases.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { updateStatistics } from '../passages/passages.ts'
import type { OwnerScope } from '../projects/projects.ts'
import { duplicates } from './duplicates/duplicates.ts'
import { gardenerAction } from './events.ts'
import { deadWeight, staleness, staleStage } from './passes/archives.ts'
import { digest } from './passes/digest.ts'
import { memoryWanted } from './passes/memory-wanted.ts'
import type { Pass, Way } from './passes/pass.ts'
import { toolError } from './passes/tool-error.ts'
import { stalePlan } from './passes/stale-plan.ts'
import { propose } from './propose.ts'
import { keepRun, type PassReport } from './run-store.ts'

/** In the order in which they take their turn: what one proposes, the next does not. */
const PASSES: readonly Pass[] = [
  duplicates,
  staleness,
  staleStage,
  deadWeight,
  digest,
  stalePlan,
  memoryWanted,
  toolError,
]

const PASS_NAMES = PASSES.map(({ name }) => name)

/** Proposals of one pass in one run: a person has to read them. */
const MOST = 20
const LEASE = 'gardener-run'
const LEASE_MS = 60_000

/** How long a pass looks at most, in milliseconds. What is left then is looked at by the next run. */
const LONGEST_MS = 240_000

/** Changes that are counted at once. */
const COUNTED = 5_000

export interface Run {
  passes: PassReport[]
}

export interface RunOptions {
  /** The pass of this name alone, and whether it is on or not. */
  only?: string | undefined
  /** How long it looks at most; four minutes when left out. */
  ms?: number
}

/** The names of the passes that are on, in the order in which they take their turn. */
export const passesOn = ({ config }: Kernel): string[] =>
  PASSES.filter(({ isOn }) => isOn?.(config.gardener) !== false).map(({ name }) => name)

/**
 * Runs every pass that is on, or the one of this name. One run at a time in all processes.
 *
 * @throws Refusal when another run is under way, and when there is no such pass
 */
export async function runGardener(
  kernel: Kernel,
  owner: OwnerScope,
  { only, ms = LONGEST_MS }: RunOptions = {},
): Promise<Run> {
  if (only !== undefined && !PASS_NAMES.includes(only)) {
    throw invalid(`there is no pass "${only}": one of ${PASS_NAMES.join(', ')}`)
  }
  const run = await withLease(kernel, LEASE, LEASE_MS, () =>
    only === undefined ? round(kernel, owner, { ms }) : runPasses(kernel, owner, [only], { ms }),
  )
  if (!run) throw conflict('another run of the gardener is under way; try again when it has ended')
  return run
}

/** The run of the timer: nobody waits for it. Where one is under way, it is that one. */
export async function gardenAgain(
  kernel: Kernel,
  owner: OwnerScope,
  going: () => boolean = () => true,
): Promise<void> {
  const how = { ms: LONGEST_MS, going, pace: kernel.pace }
  await withLease(kernel, LEASE, LEASE_MS, () => round(kernel, owner, how))
}

interface How extends Partial<Way> {
  /** For so long a pass looks at most. */
  ms: number
}

async function round(kernel: Kernel, owner: OwnerScope, how: How): Promise<Run> {
  await arm(kernel)
  return runPasses(kernel, owner, passesOn(kernel), how)
}

async function runPasses(
  kernel: Kernel,
  owner: OwnerScope,
  names: readonly string[],
  how: How,
): Promise<Run> {
  const began = performance.now()
  // Counted between two looks of a pass, common words would be taken for rare ones by whatever was looked at before.
  while ((await updateStatistics(kernel, { most: COUNTED })) >= COUNTED);
  const passes: PassReport[] = []
  for (const pass of PASSES) {
    if (!names.includes(pass.name) || how.going?.() === false) continue
    passes.push(await runPass(kernel, owner, pass, how))
    await how.pace?.rest(passes.at(-1)!.ms)
  }
  const id = newId(kernel.clock.now())
  await keepRun(kernel.db, { id, ms: performance.now() - began, passes })
  return { passes }
}

/** Latches the scopes of which enough was asked: from then on demand orders their briefings. */
async function arm(kernel: Kernel): Promise<void> {
  try {
    await inTransaction(kernel, async (kernel) => {
      for (const { project, recentEvents, recentMemories } of await armUtility(kernel)) {
        const figures = { demand_events: recentEvents, demand_memories: recentMemories }
        const payload = { action: 'utility_armed', ...figures }
        await record(kernel, gardenerAction, { by: NOBODY, project, item: null, payload })
      }
    })
  } catch (error) {
    kernel.log.error({ err: error }, 'no scope could be armed for the order by demand')
  }
}

async function runPass(
  kernel: Kernel,
  owner: OwnerScope,
  pass: Pass,
  { ms, going = () => true, pace }: How,
): Promise<PassReport> {
  const began = performance.now()
  const report = (proposed: number, held_back: number): PassReport => ({
    pass: pass.name,
    proposed,
    held_back,
    ms: Math.round(performance.now() - began),
  })
  const way = { going: () => going() && performance.now() - began < ms, pace }
  try {
    const { drafts, found, left = 0, done } = await pass.look(kernel, owner, MOST, way)
    const made = await propose(kernel, NOBODY, drafts)
    await done?.(kernel)
    return { ...report(made.length, found - drafts.length), ...(left > 0 && { left }) }
  } catch (error) {
    if (error instanceof Refusal) {
      kernel.log.warn(
        { pass: pass.name, why: error.message },
        'a pass of the gardener was left out',
      )
      return { ...report(0, 0), failed: error.message }
    }
    kernel.log.error({ err: error, pass: pass.name }, 'a pass of the gardener failed')
    return { ...report(0, 0), failed: 'internal error' }
  }
}
