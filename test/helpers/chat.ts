/** Chat models within the process, for what is made of good and bad answers. */
import type { ChatModel, Prompt } from '../../src/kernel/chat.ts'
import type { ProviderTrouble } from '../../src/kernel/provider.ts'

type Answer = string | object | ProviderTrouble

export interface FakeChat extends ChatModel {
  /** What it was asked so far. */
  prompts: (Prompt & { deadlineMs: number })[]
}

/**
 * A model that gives these answers in turn, and the last one for ever. An object is given as JSON, one with a
 * `cause` is trouble, and a function makes the answer of the prompt.
 */
export function chatSaying(...answers: (Answer | ((prompt: Prompt) => Answer))[]): FakeChat {
  const prompts: FakeChat['prompts'] = []
  return {
    prompts,
    state: () => ({ on: true, model: 'fake-1', provider: 'openai' }),
    async complete(prompt, { deadlineMs }) {
      const next = answers[Math.min(prompts.length, answers.length - 1)] ?? ''
      prompts.push({ ...prompt, deadlineMs })
      const answer = typeof next === 'function' ? next(prompt) : next
      if (typeof answer === 'string') return { text: answer, model: 'fake-1' }
      if ('cause' in answer) return answer
      return { text: JSON.stringify(answer), model: 'fake-1' }
    },
    close: async () => {},
  }
}

/** No model is set up. */
export const noChat: ChatModel = {
  state: () => ({ on: false, cause: 'no chat model is set up', misconfigured: false }),
  complete: async () => ({ kind: 'off', cause: 'no chat model is set up' }),
  close: async () => {},
}
