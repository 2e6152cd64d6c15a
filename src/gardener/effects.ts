import { abandonPlan } from './effects/abandon-plan.ts'
import { archive } from './effects/archive.ts'
import { consolidate } from './effects/consolidate.ts'
import { digest } from './effects/digest.ts'
import type { Effect } from './effects/effect.ts'
import { memoryWanted } from './effects/memory-wanted.ts'
import { merge } from './effects/merge.ts'
import { rekind } from './effects/rekind.ts'
import { reproject } from './effects/reproject.ts'
import { split } from './effects/split.ts'
import { toolError } from './effects/tool-error.ts'
import type { ProposalKind } from './kinds.ts'

/** What a proposal of each kind does. */
const EFFECTS: { readonly [Kind in ProposalKind]: Effect<Kind> } = {
  merge,
  archive,
  digest,
  consolidate,
  reproject,
  split,
  abandon_plan: abandonPlan,
  memory_wanted: memoryWanted,
  tool_error: toolError,
  rekind,
}

export const effectOf = (kind: ProposalKind): Effect<ProposalKind> =>
  EFFECTS[kind] as unknown as Effect<ProposalKind>
