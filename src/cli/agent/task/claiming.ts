import type { AgentCall } from '../../command.ts'
import { ACTING } from './acting.ts'

/** The options of the two commands that take a claim or renew it. */
export const CLAIMING = {
  ...ACTING,
  '--lease <seconds>': 'how long the claim holds; default 900',
  '--paths <globs...>': 'files that will be changed',
} as const

interface Asked {
  id: string
  session: string | undefined
  token: string | undefined
  lease: string | undefined
  paths: string[] | undefined
}

interface Overlap {
  id: string
  title: string
  claimed_by: string
  paths: string[]
}

/** Takes a claim or renews it. The token alone goes to standard output, so that a script can keep it. */
export async function claimTask({ tool, say, complain }: AgentCall, asked: Asked): Promise<void> {
  const { id, session, token, lease, paths } = asked
  const input = { id, session, claim_token: token, lease_seconds: lease, paths }
  const claimed = await tool('tasks_claim', input)
  say(String(claimed['claim_token']))
  const { lease_expires_at: until, prior_holder, overlaps = [] } = claimed
  const how = claimed['renewed'] ? 'held on' : 'claimed'
  complain(`${how} until ${until}${prior_holder ? `, taken over from ${prior_holder}` : ''}`)
  for (const { id, title, claimed_by, paths } of overlaps as Overlap[])
    complain(`${claimed_by} changes ${paths.join(', ')} as well, for ${id}  ${title}`)
}
