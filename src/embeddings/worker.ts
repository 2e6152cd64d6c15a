/**
 * The background work: vectors for passages that have none, or none of the model in use.
 *
 * The work to do is in rows, so the next process goes on where a killed one stopped. No transaction
 * is open while the provider is asked.
 */
import { isTrouble, type EmbedOptions, type EmbedTrouble } from '../kernel/embedder.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Lease } from '../postgres/leases.ts'
import { clearSetting, findSetting, putSetting } from '../kernel/settings.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { textsOf } from '../passages/passages.ts'
import * as queue from './queue.ts'
import { changeOf, pacer } from './change.ts'
import { PROBE, readEach } from './read-each.ts'
import { finishReembed, reembedding } from './reembed.ts'
import { checkEncoder } from './encoder-check.ts'
import { leftOut, type LeftOut } from './left-out.ts'
import {
  answersFromNow,
  COMPLETE,
  FILLED,
  forgetScale,
  forgetVectors,
  TROUBLE,
  type Trouble,
} from './store.ts'

/** Texts in one request: begins low for models on slow machines, and grows with each answer. */
const FIRST_SIZE = 16
const MOST_SIZE = 64
/** How long a provider in trouble is left alone: the first time, at most, and at most by its own wish. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const LONGEST_WISH_MS = 5 * 60_000
/** How often it is looked whether the store has grown so much that its model is checked again. */
const LOOK_MS = 60_000
/** How often it is looked whether all is read, while there is always more to read. */
const SETTLED_EVERY_MS = 1_000
/** How long nothing is checked after an error of ours: each check costs the owner what its texts cost. */
const AFTER_ERROR_MS = 3_600_000

export interface WorkOptions {
  going?: () => boolean
  lease?: Lease
}

/** Works on the backlog until nothing is due; returns how many vectors were made. */
export type Worker = (kernel: Kernel, options?: WorkOptions) => Promise<number>

export function embeddingWorker(how: EmbedOptions = { deadlineMs: 60_000, attempts: 3 }): Worker {
  let size = FIRST_SIZE
  let failures = 0
  // Another process may have left some, or another model.
  let mayBeTroubled = true
  let pausedUntilMs = 0
  const keepPace = pacer()
  const unread = leftOut()
  let lookedMs = -Infinity
  let settledMs = -Infinity

  /** Whether there may be something to check: the store is looked at now and then. */
  function isCheckDue(made: number): boolean {
    const restsMs = performance.now() - lookedMs
    const isDue = restsMs >= LOOK_MS || (made > 0 && restsMs >= 0)
    if (isDue) lookedMs = performance.now()
    return isDue
  }

  async function pause(kernel: Kernel, trouble: EmbedTrouble): Promise<void> {
    const { kind, cause, retryAfterMs = 0 } = trouble
    if (kind === 'off') return
    const doubledMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)
    failures++
    mayBeTroubled = true
    pausedUntilMs = performance.now() + Math.max(doubledMs, Math.min(retryAfterMs, LONGEST_WISH_MS))
    if (failures === 1) kernel.log.warn({ cause }, 'passages wait for their vectors')
    await noteTrouble(kernel, { kind, cause })
  }

  async function recovered(kernel: Kernel): Promise<void> {
    if (failures > 0) kernel.log.info('the embedding provider answers again')
    failures = 0
    await calm(kernel)
  }

  async function calm(kernel: Kernel): Promise<void> {
    mayBeTroubled = false
    await clearTrouble(kernel)
  }

  const isPaused = (): boolean => performance.now() < pausedUntilMs

  /** Whatever is to happen once all is read: the model answers from then on, and is checked. */
  async function settle(kernel: Kernel, going: () => boolean, made = 0): Promise<void> {
    settledMs = performance.now()
    const isMadeAgain = await finishReembed(kernel)
    // The provider may have put another model under the name.
    if (isMadeAgain) await forgetScale(kernel.db, modelOf(kernel))
    const isRead = await complete(kernel, going)
    if (isMadeAgain || isRead) lookedMs = -Infinity
    if (!isCheckDue(made)) return
    const came = await checked(kernel, { how, going }).catch((error: unknown) => {
      if (!going()) throw error
      kernel.log.error({ err: error }, 'the configured model was not checked')
      lookedMs = performance.now() + AFTER_ERROR_MS
    })
    if (came === 'checked') await recovered(kernel)
    else if (came) {
      lookedMs = -Infinity
      await pause(kernel, came)
    }
  }

  return async (kernel, { going = () => true, lease } = {}) => {
    const { embedder } = kernel
    const state = embedder.state()
    if (!state.on || state.learned || isPaused()) return 0
    const unready = await learnModel(kernel, how)
    if (unready) {
      await pause(kernel, unready)
      return 0
    }
    await fill(kernel, going)

    let made = 0
    while (going() && !isPaused()) {
      const batch = await nextBatch(kernel, size, unread)
      if (batch === undefined) {
        unread.clear()
        break
      }
      if (batch.readings.length === 0) continue
      const beganMs = performance.now()
      const trouble = await readAll(kernel, batch.readings, { how, lease, unread })
      if (!trouble) {
        const passages = batch.readings.length
        // Where more wait than are read at once, it goes as fast as it can.
        if (passages === size) await keepPace(kernel, { passages, ms: performance.now() - beganMs })
        made += batch.readings.length
        size = Math.min(MOST_SIZE, size * 2)
        await recovered(kernel)
        // Beside a steady stream of writes something always waits.
        if (performance.now() - settledMs >= SETTLED_EVERY_MS) await settle(kernel, going)
      } else if (trouble.kind === 'slow' && batch.readings.length > 1) {
        size = batch.readings.length >> 1
      } else await pause(kernel, trouble)
    }
    if (!isPaused()) await settle(kernel, going, made)
    // Nothing waits for the provider any more.
    if (mayBeTroubled && going() && !isPaused()) await calm(kernel)
    return made
  }
}

/** Before the first answer the model has no number yet. */
async function learnModel(
  { embedder }: Kernel,
  how: EmbedOptions,
): Promise<EmbedTrouble | undefined> {
  const state = embedder.state()
  if (!state.on || state.number > 0) return undefined
  const answer = await embedder.embed([PROBE], how)
  return isTrouble(answer) ? answer : undefined
}

const modelOf = ({ embedder }: Kernel): number => {
  const state = embedder.state()
  return state.on ? state.number : 0
}

/** Another model than last time: everything is queued. So it is when the owner asks for it. */
async function fill(kernel: Kernel, going: () => boolean): Promise<void> {
  const { db } = kernel
  const model = modelOf(kernel)
  const again = await reembedding(db)
  const isAgain = again !== undefined && !again.filled
  const isOther = (await findSetting(db, FILLED)) !== model
  if (!isOther && !isAgain) return
  const change = isAgain ? undefined : await changeOf(kernel)
  if (change) kernel.log.info({ ...change }, 'the configured model reads the passages of the store')
  const olderThan = isAgain ? { olderThan: again.startedAt } : {}
  if (!(await queue.fillQueue(db, model, { going, ...olderThan }))) return
  // One that was given up on its way, for a model that had read everything: nothing will come to complete this one again.
  const isBack = isOther && (await findSetting(db, COMPLETE)) === model
  if (isBack && !(await forgetOthers(kernel, model, going))) return
  await putSetting(db, FILLED, model)
  if (isAgain) await again.markFilled(db)
}

/** Takes away the vectors of every other configured model. False when it was stopped before the end. */
async function forgetOthers(kernel: Kernel, model: number, going: () => boolean): Promise<boolean> {
  const others = await kernel.db
    .selectFrom('models')
    .select('number')
    .where('learned', '=', false)
    .where('number', '<>', model)
    .execute()
  for (const { number } of others) await forgetVectors(kernel, number, going)
  return going()
}

/**
 * All that stood when the model came was tried once: from now on it answers alone, and the vectors of the ones before it
 * go. Returns whether that is so since now.
 */
async function complete(kernel: Kernel, going: () => boolean): Promise<boolean> {
  const { db } = kernel
  const model = modelOf(kernel)
  if (model === 0 || (await findSetting(db, FILLED)) !== model) return false
  if ((await findSetting(db, COMPLETE)) === model || (await queue.isReading(db))) return false
  if (!(await forgetOthers(kernel, model, going))) return false
  await putSetting(db, COMPLETE, model)
  await answersFromNow(db, model)
  kernel.log.info('the configured model has read all passages, and answers from now on')
  return true
}

/** Checks the model once it has read everything. */
async function checked(
  kernel: Kernel,
  work: { how: EmbedOptions; going: () => boolean },
): Promise<EmbedTrouble | 'checked' | undefined> {
  const model = modelOf(kernel)
  if (model === 0 || (await findSetting(kernel.db, COMPLETE)) !== model) return undefined
  if (await reembedding(kernel.db)) return undefined
  return checkEncoder(kernel, model, work)
}

/** The next passages to read; undefined when nothing is due. Clears away what needs no work. */
async function nextBatch(
  kernel: Kernel,
  size: number,
  unread: LeftOut,
): Promise<{ readings: queue.Reading[] } | undefined> {
  const { db } = kernel
  const due = await queue.listDue(db, {
    model: modelOf(kernel),
    items: size,
    passages: size,
    left_out: unread.passages(),
  })
  if (due.length === 0) return undefined
  const readings: queue.Reading[] = []
  const idle: queue.Due[] = []
  let moved = 0
  for (const passages of Map.groupBy(due, queue.keyOf).values()) {
    const [item] = passages
    if (item === undefined || readings.length >= size) continue
    if (item.chunk === null) {
      const cause = unread.causeOf(item)
      if (cause === undefined) idle.push(item)
      else {
        await queue.postpone(db, item, cause)
        unread.forget(item)
        moved++
      }
      continue
    }
    const texts = await textsOf(db, item.kind, item.id)
    const found = passages.flatMap(({ chunk, hash, ...rest }) => {
      const text = hash === null ? undefined : texts.get(hash)
      return chunk === null || hash === null || text === undefined
        ? []
        : [{ ...rest, chunk, hash, text }]
    })
    readings.push(...found)
    if (found.length > 0) continue
    // Its rows are older than its text; the write that updates them queues it again.
    await queue.postpone(db, item, 'its text is not what was indexed')
    moved++
  }
  moved += await inTransaction(kernel, ({ db }) => queue.unqueueDone(db, modelOf(kernel), idle))
  if (readings.length === 0 && moved === 0) return undefined
  return { readings: readings.slice(0, size) }
}

/** Reads the passages and keeps their vectors. One that the provider cannot read is left out alone. */
const readAll = (
  kernel: Kernel,
  readings: readonly queue.Reading[],
  { how, lease, unread }: { how: EmbedOptions; lease: Lease | undefined; unread: LeftOut },
): Promise<EmbedTrouble | undefined> =>
  readEach(kernel.embedder, readings, how, {
    keep: (read, answer) => keep(kernel, read, answer, lease),
    async leaveOut(reading, { cause }) {
      unread.add(reading, cause)
      return undefined
    },
  })

async function keep(
  kernel: Kernel,
  readings: readonly queue.Reading[],
  { model, vectors }: { model: number; vectors: readonly (readonly number[])[] },
  lease: Lease | undefined,
): Promise<void> {
  await inTransaction(kernel, async (kernel) => {
    await lease?.stillMine(kernel)
    await queue.keepVectors(kernel.db, model, readings, vectors)
    const items = new Map(readings.map((reading) => [queue.keyOf(reading), reading]))
    await queue.unqueueDone(kernel.db, model, [...items.values()])
  })
}

async function noteTrouble({ db, clock }: Kernel, trouble: Omit<Trouble, 'since' | 'at'>) {
  const before = (await findSetting(db, TROUBLE)) as Trouble | undefined
  const at = clock.now().toISOString()
  const since = before?.cause === trouble.cause ? before.since : at
  await putSetting(db, TROUBLE, { ...trouble, since, at } satisfies Trouble)
}

async function clearTrouble({ db }: Kernel): Promise<void> {
  if ((await findSetting(db, TROUBLE)) !== undefined) await clearSetting(db, TROUBLE)
}
