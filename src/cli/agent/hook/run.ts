/**
 * One hook of an agent's client: the payload comes on standard input, and the service's answer goes to
 * standard output, in the client's own words. A hook never blocks an agent: whatever fails, it ends well,
 * and one line says what happened. A prompt waits for it, so it imports no package, and what only some
 * events need is imported for those.
 */
import type { Readable } from 'node:stream'
import type { Client } from '../../../config/client.ts'
import type { Environment } from '../../../config.ts'
import { invalid } from '../../../kernel/refusal.ts'
import { clientProcess } from '../../client/process-key.ts'
import {
  type Answer,
  HOOK_EVENTS,
  type HookClient,
  type HookEvent,
  textOf,
  type Whereabouts,
} from './client.ts'
import { HOOK_CLIENTS, hookClient } from './clients.ts'
import { type Payload, readPayload } from './payload.ts'
import { post } from './post.ts'

/** What a hook needs of the machine that it runs on. */
export interface HookCall {
  env: Environment
  /** The folder of the user. */
  home: string
  stdin: Readable
  client(): Promise<Client>
  say(line: string): void
  complain(line: string): void
}

/** Until the whole answer is here. A prompt waits for it, so it is shorter than the client's own. */
const ANSWER_MS = 4_000
/** Captures read whole plans and reports. */
const CAPTURE_MS = 8_500
const CAPTURES = new Set(['post-tool-use', 'subagent-stop', 'session-end'])

/** Events whose answer an agent reads, by the name that most clients give them. */
const WITH_CONTEXT: Partial<Record<HookEvent, string>> = {
  'session-start': 'SessionStart',
  'user-prompt-submit': 'UserPromptSubmit',
  'subagent-start': 'SubagentStart',
}

/** Refuses an event or a client that does not exist; everything else ends well. */
export async function runHook(event: string, client: string, call: HookCall): Promise<void> {
  const isKnown = (HOOK_EVENTS as readonly string[]).includes(event)
  if (!isKnown)
    throw invalid(`no hook "${event.slice(0, 100)}"; there are ${HOOK_EVENTS.join(', ')}`)
  const form = await hookClient(client)
  if (!form)
    throw invalid(`no client "${client.slice(0, 100)}"; there are ${HOOK_CLIENTS.join(', ')}`)
  await answerTo({ event: event as HookEvent, client, form }, call)
}

interface Asked {
  event: HookEvent
  client: string
  form: HookClient
}

async function answerTo(asked: Asked, call: HookCall): Promise<void> {
  const { event, form } = asked
  let sent: Payload = {}
  try {
    sent = await readPayload(call.stdin)
    const payload = (await form.read?.(sent, event)) ?? sent
    if (form.concerns && !form.concerns(payload, event, call)) return
    const said = await ask(asked, payload, call)
    if (said)
      call.say(form.answer ? JSON.stringify(form.answer(said.answer, event, sent)) : said.text)
  } catch (error) {
    sayWhy(asked, sent, error as Error, call)
  }
}

interface Said {
  text: string
  answer: Answer
}

/** Returns what the service answered; undefined when it said nothing. */
async function ask(asked: Asked, payload: Payload, call: HookCall): Promise<Said | undefined> {
  const { event, client } = asked
  const service = await call.client()
  const key = await service.key()
  const extracted = await extract(asked, payload, call)
  const own = await ofTheMachine(event, client, payload, call)
  const body = JSON.stringify({ ...extracted, ...own.fields })
  const url = new URL(`${service.url}/api/hooks/${event}?client=${client}`)
  const patienceMs = CAPTURES.has(event) ? CAPTURE_MS : ANSWER_MS
  const text = (await post(url, { key, body, patienceMs })).trim()
  const said = text === '' ? undefined : saidIn(text)
  own.told()
  return said
}

/**
 * Returns the payload with what this machine adds to it, since the service never reads a client's disk.
 * What the client itself said is never replaced.
 */
export async function extract(
  { event, form }: Pick<Asked, 'event' | 'form'>,
  payload: Payload,
  at: Whereabouts,
): Promise<Payload> {
  const [place, found] = await Promise.all([
    placeOf(payload, event).catch(() => ({})),
    form.adds?.[event]?.(payload, at).catch(() => ({})),
  ])
  return { ...place, ...found, ...payload }
}

const WITHOUT_PLACE = new Set<HookEvent>(['session-end', 'stop'])

async function placeOf(payload: Payload, event: HookEvent): Promise<Payload> {
  const cwd = textOf(payload, 'cwd')
  if (!cwd || WITHOUT_PLACE.has(event)) return {}
  const { repositoryOf } = await import('./repository.ts')
  return { ...(await repositoryOf(cwd)) }
}

/** The client's process, and sessions whose process is gone. */
async function ofTheMachine(
  event: HookEvent,
  client: string,
  payload: Payload,
  { env, home }: HookCall,
): Promise<{ fields: Payload; told(): void }> {
  const process = clientProcess()
  const session_id = textOf(payload, 'session_id')
  const fields = process ? { process: process.key } : {}
  if (!REGISTERED.has(event)) return { fields, told() {} }
  const registry = await import('../../client/registry.ts')
  const at = registry.registryOf(env, home)
  if (process && session_id) {
    const session = { client, session_id }
    if (event === 'session-start') at.announce(process, session)
    // An end that the service does not hear is told as a process that is gone.
    if (event === 'session-end') return { fields, told: () => at.retire(process, session) }
  }
  if (event === 'session-end') return { fields, told() {} }
  const { gone, told } = at.gone()
  return { fields: { ...fields, ...(gone.length > 0 && { gone }) }, told }
}

const REGISTERED = new Set<HookEvent>(['session-start', 'session-end', 'stop'])

/** An answer, and the text that it came as. Refuses the text of somebody else: an agent would read it. */
function saidIn(text: string): Said {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null) return { text, answer: answer as Answer }
  } catch {
    // Said below.
  }
  throw new Error('what answers at its address is not Loam')
}

/**
 * An agent would take silence for "nothing is known", so it reads that the service was not reached, and
 * so does its user.
 */
function sayWhy({ event, form }: Asked, sent: Payload, error: Error, call: HookCall): void {
  const why = error.message.replaceAll(/\s+/g, ' ').slice(0, 300)
  const hookEventName = WITH_CONTEXT[event]
  if (!hookEventName) {
    call.complain(`loam: ${event} was not recorded: ${why}`)
    return
  }
  const answer: Answer = {
    continue: true,
    suppressOutput: true,
    systemMessage: `Loam was not reached: ${why}`,
    hookSpecificOutput: {
      hookEventName,
      additionalContext: `Loam was not reached, so nothing was looked up for this: ${why}`,
    },
  }
  call.say(JSON.stringify(form.answer?.(answer, event, sent) ?? answer))
}
