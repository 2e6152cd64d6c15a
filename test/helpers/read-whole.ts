import type { Agent } from './agent.ts'

/** Reads a body to its end by what the answers themselves say: `next` is what to ask for then. */
export async function readWhole(
  agent: Agent,
  tool: 'notes_read' | 'memory_read',
  args: Record<string, unknown>,
): Promise<string> {
  let body = ''
  for (let asked: Record<string, unknown> | undefined = args; asked;) {
    const answer = await agent.call(tool, asked)
    body += answer['body']
    asked = answer['next']
  }
  return body
}
