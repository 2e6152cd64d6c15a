/** Gemini CLI: events of its own names, and the last words of a turn as `prompt_response`. */
import { type HookClient, textOf } from '../client.ts'

export const gemini: HookClient = {
  /** What our hooks said comes back before the words of the user, escaped. */
  async read(payload) {
    const { prompt, prompt_response } = payload
    const said = typeof prompt === 'string' ? { prompt: await wordsOfTheUser(prompt) } : {}
    const last =
      typeof prompt_response === 'string' ? { last_assistant_message: prompt_response } : {}
    return { ...payload, ...said, ...last }
  },

  /** It takes an answer only under the name that it gave the event. */
  answer({ hookSpecificOutput, ...rest }, _, payload) {
    const hookEventName = textOf(payload, 'hook_event_name')
    if (!hookSpecificOutput) return rest
    return {
      ...rest,
      hookSpecificOutput: { ...hookSpecificOutput, ...(hookEventName && { hookEventName }) },
    }
  },
}

async function wordsOfTheUser(prompt: string): Promise<string> {
  if (!/loam-/i.test(prompt)) return prompt
  const { withoutOwnBlocks } = await import('../../../../text/own-blocks.ts')
  return withoutOwnBlocks(prompt)
}
