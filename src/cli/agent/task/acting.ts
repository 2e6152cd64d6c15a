import type { AgentCall } from '../../command.ts'

/** The options of every command that changes a task: who acts, and under which claim. */
export const ACTING = {
  '--session <name>': 'id or name of the session that acts',
  '--token <token>': 'of the claim under which it acts',
} as const

/** The line that shows a task after a change. */
export const changedLine = ({ id, status, title = '' }: Record<string, unknown>): string =>
  `${id}  ${status}  ${title}`

/** Gives a task another status and prints what it is then. */
export async function changeStatus(
  { tool, say }: AgentCall,
  task: { id: string; session: string | undefined; token: string | undefined; status: string },
): Promise<void> {
  const { id, session, token, status } = task
  say(changedLine(await tool('tasks_update', { id, status, session, claim_token: token })))
}
