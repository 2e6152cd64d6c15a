/** The chat model that the configuration names, and its retries. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { ChatModel, ChatState } from '../kernel/chat.ts'
import { openLine, pauseMsAfter } from '../kernel/provider.ts'
import { ask } from './ask.ts'
import { chooseProvider, type Provider } from './provider.ts'

const ATTEMPTS = 3
/** For all attempts at one answer. */
const LONGEST_MS = 60_000

/** Reads the configuration. No request is sent yet. */
export function openChat({ config, log }: { config: Config; log: Logger }): ChatModel {
  const provider = chooseProvider(config)
  if (!('cause' in provider)) return liveModel(provider)
  const { cause, misconfigured } = provider
  if (misconfigured) log.error({ cause }, 'the chat model is misconfigured; there is none')
  return noModel({ on: false, ...provider })
}

const noModel = (state: Extract<ChatState, { on: false }>): ChatModel => ({
  state: () => state,
  complete: async () => ({ kind: 'off', cause: state.cause }),
  close: async () => {},
})

function liveModel(provider: Provider): ChatModel {
  const { model, protocol } = provider
  const line = openLine()
  const stopping = new AbortController()

  return {
    state: () => ({ on: true, model, provider: protocol }),

    async complete(prompt, { deadlineMs: asked }) {
      const deadlineMs = Math.min(asked, LONGEST_MS)
      const endMs = performance.now() + deadlineMs
      const until = { late: AbortSignal.timeout(deadlineMs), deadlineMs, stop: stopping.signal }
      for (let nth = 1; ; nth++) {
        const attempt = await ask(await line.dispatcher(), provider, prompt, until)
        if ('text' in attempt) return { text: attempt.text, model }
        const { trouble, mayPass } = attempt
        if (!mayPass || nth === ATTEMPTS) return trouble
        const pauseMs = pauseMsAfter(nth, trouble.retryAfterMs)
        // Whoever waits learns at once what is wrong, rather than later that the time is over.
        if (pauseMs === undefined || performance.now() + pauseMs >= endMs) return trouble
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    },

    async close() {
      stopping.abort()
      await line.close()
    },
  }
}
