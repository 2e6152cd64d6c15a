import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { isTrouble, type EmbedderState } from '../kernel/embedder.ts'
import { clearSetting, findSetting, putSetting } from '../kernel/settings.ts'
import { countVectors, type ModelCount, type VectorCounts } from './counts.ts'
import { listLearned, type ModelRow } from './learned/models.ts'
import { STORE } from './learned/store-embedder.ts'
import { chooseProvider, OWNER_OFF } from './provider.ts'
import { reembedding, reembedProgress, type Reembed } from './reembed.ts'
import { MODE, TROUBLE, type Trouble } from './store.ts'

/** The vectors of one model. */
export interface ModelStatus extends Omit<ModelCount, 'number'> {
  /** Not the model in use: searches pass over these. */
  stale: boolean
}

export interface EmbeddingStatus {
  enabled: boolean
  /** Empty when none is configured. */
  provider: string
  model: string
  /** Why embeddings are off; empty when they are on. */
  reason: string
  misconfigured: boolean
  /** Off because the switch was off when this process started. */
  overriddenOff: boolean
  /** Whether the switch is off now. */
  modeOff: boolean
  restartNeeded: boolean
  /** Active items; those that lack vectors altogether or in part; those with vectors of another model. */
  total: number
  missing: number
  stale: number
  models: ModelStatus[]
  /** Items that wait for the background, those of them that failed, and what the last of these met. */
  backlog: number
  failed: number
  lastError: string
  /** What keeps the background from its work at the moment. */
  trouble: { cause: string; since: string; at: string } | null
  reembed: Reembed
}

/** The number of the model in use; 0 without one. */
export function modelInUse({ embedder }: Pick<Kernel, 'embedder'>): number {
  const state = embedder.state()
  return state.on ? state.number : 0
}

/** The state of embeddings, as Settings, doctor and the command line show it. `counts` are those of `countVectors`. */
export async function embeddingStatus(
  { db, config, embedder }: Kernel,
  counts?: VectorCounts,
): Promise<EmbeddingStatus> {
  const state = await embedder.look()
  const provider = chooseProvider(config, 'auto')
  const modeOff = (await findSetting(db, MODE)) === 'off'
  const overriddenOff = !state.on && state.cause === OWNER_OFF
  const number = modelInUse({ embedder })
  const { total, missing, stale, models } = counts ?? (await countVectors(db, number))
  const trouble = (await findSetting(db, TROUBLE)) as Trouble | undefined
  return {
    enabled: state.on,
    provider: 'cause' in provider ? '' : provider.protocol,
    model: modelOf(provider),
    reason: state.on ? '' : state.cause,
    misconfigured: !state.on && state.misconfigured,
    overriddenOff,
    modeOff,
    restartNeeded: state.on ? modeOff : overriddenOff && !modeOff,
    total,
    missing,
    stale: state.on ? stale : 0,
    models: models.map(({ number: own, ...row }) => ({
      ...row,
      stale: state.on && own !== number,
    })),
    ...(await backlog(db, state)),
    // What is learned asks nobody. The row is of a provider before it.
    trouble:
      state.on && !state.learned && trouble
        ? { cause: trouble.cause, since: trouble.since, at: trouble.at }
        : null,
    reembed: await reembedProgress(db),
  }
}

const modelOf = (provider: ReturnType<typeof chooseProvider>): string => {
  if ('cause' in provider) return ''
  return provider.protocol === STORE ? STORE : provider.model
}

/** Whether vectors are being made at the moment, or wait to be. */
export async function isEmbedding(db: Db): Promise<boolean> {
  if (await reembedding(db)) return true
  const one = await db.selectFrom('embedding_queue').select('id').limit(1).executeTakeFirst()
  return one !== undefined
}

/** What waits for a provider; what a learned model has not read yet is read within a second. */
async function backlog(
  db: Db,
  state: EmbedderState,
): Promise<Pick<EmbeddingStatus, 'backlog' | 'failed' | 'lastError'>> {
  if (state.on && state.learned) return { backlog: 0, failed: 0, lastError: '' }
  const { rows } = await sql<{ backlog: number; failed: number; lastError: string | null }>`
    select count(*)::int as backlog, count(*) filter (where tries > 0)::int as failed,
      (select error from embedding_queue where error <> '' order by due_at desc limit 1) as "lastError"
    from embedding_queue`.execute(db)
  const { backlog = 0, failed = 0, lastError } = rows[0] ?? {}
  return { backlog, failed, lastError: lastError ?? '' }
}

/** Turns the stored switch. It counts from the next start on. */
export async function switchEmbeddings({ db }: Kernel, mode: 'auto' | 'off'): Promise<void> {
  if (mode === 'off') await putSetting(db, MODE, 'off')
  else await clearSetting(db, MODE)
}

/** Since when a model answers, and how well it did on questions made of the store's own passages. */
export interface Trial {
  since: string
  /** That it was learned from, or checked on. */
  passages: number
  /** How far it is trusted beside the words, from 0 to 1. */
  weight: number
  questions: number
  /** Of the questions, the part whose item was among the first five: by words alone, and with what the model knows. */
  words: number
  fused: number
}

/** Undefined while no learned model answers. */
export async function learnedStatus({ db }: Kernel): Promise<Trial | undefined> {
  const serving = (await listLearned(db)).find(({ state }) => state === 'serving')
  return serving && trialOf(serving)
}

/** Of the model that is configured; undefined while it was not checked, and when none is. */
export async function checkedStatus({ db, embedder }: Kernel): Promise<Trial | undefined> {
  const state = embedder.state()
  if (!state.on || state.learned || state.number === 0) return undefined
  const row = await db
    .selectFrom('models')
    .select(['since', 'passages', 'checked'])
    .where('number', '=', state.number)
    .executeTakeFirst()
  return row && trialOf(row as unknown as OnTrial)
}

type OnTrial = Pick<ModelRow, 'since' | 'passages' | 'checked'>

function trialOf({ since, passages, checked }: OnTrial): Trial | undefined {
  if (!checked) return undefined
  const { weight, questions, words, fused } = checked
  return {
    ...{ since: since.toISOString(), passages, weight, questions },
    ...{ words: words.five, fused: fused.five },
  }
}

/** For one look at the provider. */
const LOOK_DEADLINE_MS = 8_000

export interface Tried {
  on: boolean
  chosen: boolean
  model: string
  dims: number
  /** Why there was no vector; empty when there was one. */
  cause: string
  /** How long the vector took. */
  seconds: number
}

/** Asks the provider for one vector, and says what came of it. */
export async function tryEmbedder({ embedder }: Kernel): Promise<Tried> {
  const off = await embedder.look()
  if (!off.on)
    return { on: false, chosen: off.chosen, model: '', dims: 0, cause: off.cause, seconds: 0 }
  const beganMs = performance.now()
  const answer = await embedder.embed(['Loam'], { deadlineMs: LOOK_DEADLINE_MS, attempts: 1 })
  const seconds = (performance.now() - beganMs) / 1_000
  const cause = isTrouble(answer) ? answer.cause : ''
  const { model, dims } = { ...off, ...embedder.state() }
  return { on: true, chosen: false, model, dims, cause, seconds }
}
