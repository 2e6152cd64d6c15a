/** VS Code: as Claude Code's, but that some versions write `sessionId` and `hookEventName`. */
import { type HookClient, textOf } from '../client.ts'

export const vscode: HookClient = {
  read(payload, event) {
    const session_id = textOf(payload, 'session_id', 'sessionId')
    return {
      ...payload,
      ...(session_id && { session_id }),
      // It says `new` for what others call `startup`.
      ...(event === 'session-start' && payload['source'] === 'new' && { source: 'startup' }),
    }
  },
}
