/** The embedder that the configuration names: its retries, and the model and length of its vectors. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import {
  NOTHING_FOLDED,
  type Embedder,
  type EmbedOptions,
  type EmbedTrouble,
  type Scale,
  type Vectors,
} from '../kernel/embedder.ts'
import type { Db } from '../kernel/kernel.ts'
import { openLine, pauseMsAfter } from '../kernel/provider.ts'
import { findSetting, putSetting } from '../kernel/settings.ts'
import { ask, wrongDims } from './ask.ts'
import { openStoreEmbedder } from './learned/store-embedder.ts'
import { chooseProvider, type Provider } from './provider.ts'
import { MODE, MODEL, findModel, findScale, registerModel } from './store.ts'

/** The most characters of a text that are sent. */
const MOST_CHARACTERS = 8_000
/** How long what is known of a model is told without a look. */
const SCALE_KEPT_MS = 10_000
/** Kinds of trouble after which another attempt may end otherwise. */
const PASSING = ['unreachable', 'slow', 'throttled', 'unavailable']

/** What the provider's answers have shown of the model. */
interface Known {
  dims: number
  number: number
}

/** Reads the switch and what earlier answers have shown. No request is sent yet. */
export async function openEmbedder({
  db,
  config,
  log,
}: {
  db: Db
  config: Config
  log: Logger
}): Promise<Embedder> {
  const mode = (await findSetting(db, MODE)) === 'off' ? 'off' : 'auto'
  const provider = chooseProvider(config, mode)
  if ('cause' in provider) {
    const { cause, misconfigured } = provider
    if (misconfigured)
      log.error({ cause }, 'embeddings are misconfigured; recall searches by words')
    return offEmbedder({ on: false, ...provider })
  }
  const store = await openStoreEmbedder({ db, log })
  if (provider.protocol === 'store') return store
  return {
    ...liveEmbedder(db, provider, await remembered(db, provider)),
    fold: store.fold,
    beside: store,
  }
}

function offEmbedder(state: Extract<ReturnType<Embedder['state']>, { on: false }>): Embedder {
  return {
    state: () => state,
    look: async () => state,
    embed: async () => ({ kind: 'off', cause: state.cause }),
    fold: () => NOTHING_FOLDED,
    forgetDims: async () => {},
    close: async () => {},
  }
}

/** Without configured dimensions a model keeps those of its first answer. */
async function remembered(db: Db, { model, dims: asked }: Provider): Promise<Known> {
  const last = (await findSetting(db, MODEL)) as { model?: unknown; dims?: unknown } | undefined
  const dims = asked || (last?.model === model ? Number(last.dims) || 0 : 0)
  return { dims, number: dims > 0 ? await findModel(db, model, dims) : 0 }
}

function liveEmbedder(db: Db, provider: Provider, known: Known): Embedder {
  const line = openLine()
  const stopping = new AbortController()

  async function attempt(
    texts: readonly string[],
    deadlineMs: number,
  ): Promise<number[][] | EmbedTrouble> {
    const stop = stopping.signal
    if (stop.aborted) return { kind: 'off', cause: 'the service is stopping' }
    const answer = await ask(await line.dispatcher(), provider, texts, { deadlineMs, stop })
    if ('cause' in answer) return answer
    return (await agreeOnDims(answer[0]?.length ?? 0)) ?? answer
  }

  /** The first answer names the model; later ones must agree with it. */
  async function agreeOnDims(length: number): Promise<EmbedTrouble | undefined> {
    // Another process may have learned meanwhile that the model has changed.
    if (known.dims > 0 && known.dims !== length) known = await remembered(db, provider)
    if (known.dims > 0 && known.dims !== length) {
      return wrongDims(
        length,
        `and gave ${known.dims} before: if the model has changed, run "loam embeddings reembed"`,
      )
    }
    if (known.number > 0) return undefined
    known = { dims: length, number: await registerModel(db, provider.model, length) }
    await putSetting(db, MODEL, { model: provider.model, dims: length })
    return undefined
  }

  let scale: { of: number; at: number; found: Scale | undefined } | undefined
  /** Any process may check the model: what one found is seen soon. */
  async function scaleNow(): Promise<Scale | undefined> {
    const { number } = known
    if (scale?.of !== number || performance.now() - scale.at >= SCALE_KEPT_MS) {
      scale = { of: number, at: performance.now(), found: await findScale(db, number) }
    }
    return scale.found
  }

  const state: Embedder['state'] = () => ({ on: true, model: provider.model, ...known })
  return {
    state,
    look: async () => state(),

    async embed(texts, { deadlineMs, attempts }: EmbedOptions): Promise<Vectors | EmbedTrouble> {
      const cut = texts.map((text) => cutAt(text, MOST_CHARACTERS))
      for (let nth = 1; ; nth++) {
        const answer = await attempt(cut, deadlineMs)
        if (!('cause' in answer)) {
          const scale = await scaleNow()
          return { model: known.number, vectors: answer, ...(scale && { scale }) }
        }
        const { kind, retryAfterMs } = answer
        if (nth >= attempts || !PASSING.includes(kind)) return answer
        const pauseMs = pauseMsAfter(nth, retryAfterMs)
        if (pauseMs === undefined) return answer
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    },

    fold: () => NOTHING_FOLDED,

    async forgetDims() {
      if (provider.dims === 0) known = { dims: 0, number: 0 }
    },

    async close() {
      stopping.abort()
      await line.close()
    },
  }
}

/** Cuts between code points. */
const cutAt = (text: string, most: number): string =>
  text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('')
