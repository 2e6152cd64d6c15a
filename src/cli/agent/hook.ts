/**
 * One hook of an agent's client: the payload comes on standard input, and the service's answer goes to
 * standard output. A hook never blocks an agent: whatever fails, the exit code says success, and one
 * line says what happened. A prompt waits for it, so it imports neither the database nor a room.
 */
import { invalid } from '../../kernel/refusal.ts'
import { type AgentCall, defineCommand } from '../command.ts'
import { homeOf } from '../machine.ts'
import { concernsPlans, extract, hookEvents, type HookClient } from './hook/extract.ts'
import { type Payload, readPayload } from './hook/payload.ts'
import { post } from './hook/post.ts'

/** Until the whole answer is here. A prompt waits for it, so it is shorter than the client's own. */
const ANSWER_MS = 4_000
/** Captures read whole plans and reports. */
const CAPTURE_MS = 8_500
const CAPTURES = new Set(['post-tool-use', 'subagent-stop', 'session-end'])

/** Events whose answer an agent reads, by the name the clients give them. */
const WITH_CONTEXT: Record<string, string> = {
  'session-start': 'SessionStart',
  'user-prompt-submit': 'UserPromptSubmit',
  'subagent-start': 'SubagentStart',
}

const CLIENTS = ['claude-code', 'codex']

export const hook = defineCommand({
  name: 'hook',
  summary: "answer one hook of an agent's client: its payload on standard input",
  for: 'agent',
  protocol: true,
  arguments: { '<event>': 'session-start, user-prompt-submit, session-end, …' },
  options: {
    '--client <name>': { text: 'claude-code or codex', default: 'claude-code' },
  },
  // To a client 2 means that a hook objects, and the agent stops: a hook of ours never does.
  unparsable: 1,
  /** Refuses an event or a client that does not exist; everything else ends well. */
  async run({ event, client }, call) {
    if (!hookEvents.includes(event))
      throw invalid(`no hook "${event.slice(0, 100)}"; there are ${hookEvents.join(', ')}`)
    if (!CLIENTS.includes(client))
      throw invalid(`no client "${client.slice(0, 100)}"; there are ${CLIENTS.join(', ')}`)
    try {
      const payload = await readPayload(call.stdin)
      if (event === 'post-tool-use' && !concernsPlans(payload, homeOf(call))) return
      const answer = await ask(event, payload, client as HookClient, call)
      if (answer.trim() !== '') call.say(answer.trim())
    } catch (error) {
      sayWhy(event, error as Error, call)
    }
  },
})

async function ask(
  event: string,
  payload: Payload,
  client: HookClient,
  call: AgentCall,
): Promise<string> {
  const service = await call.client()
  const key = await service.key()
  const body = JSON.stringify(await extract(event, payload, client, homeOf(call)))
  const url = new URL(`${service.url}/api/hooks/${event}?client=${client}`)
  return post(url, { key, body, patienceMs: CAPTURES.has(event) ? CAPTURE_MS : ANSWER_MS })
}

/** An agent would take silence for "nothing is known", so it reads that the service was not reached. */
function sayWhy(event: string, error: Error, { say, complain }: AgentCall): void {
  const why = error.message.replaceAll(/\s+/g, ' ').slice(0, 300)
  const hookEventName = WITH_CONTEXT[event]
  if (!hookEventName) {
    complain(`loam: ${event} was not recorded: ${why}`)
    return
  }
  const additionalContext = `Loam was not reached, so nothing was looked up for this: ${why}`
  const hookSpecificOutput = { hookEventName, additionalContext }
  say(JSON.stringify({ continue: true, suppressOutput: true, hookSpecificOutput }))
}
