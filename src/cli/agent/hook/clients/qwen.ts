/** Qwen Code: the words of its hooks are ours; what the user typed is `submitted_prompt`. */
import { type HookClient, textOf } from '../client.ts'

export const qwen: HookClient = {
  read(payload) {
    const prompt = textOf(payload, 'submitted_prompt')
    return prompt ? { ...payload, prompt } : payload
  },
}
