/** The answer to one call of a hook. */
import { untold } from '../briefing/briefing.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { maskSecrets } from '../text/secrets.ts'
import { cutFor, type Client } from './clients.ts'
import { hookError } from './events.ts'
import { answerId, hooksAnswered, hooksHeard } from './heard.ts'
import { guardPayload } from './guard.ts'
import type { Hook, Outcome } from './hook.ts'
import { readPayload } from './payload.ts'
import { recordInjection } from './record.ts'

/** The answer's body, in the form that every client understands. */
interface Answer {
  continue: true
  suppressOutput: true
  /** Shown to the user, not to the agent. */
  systemMessage?: string
  hookSpecificOutput?: { hookEventName: string; additionalContext: string }
}

/**
 * Runs a hook and returns the body of its answer. What fails or takes too long is logged, recorded as
 * `hook.error` and answered with nothing; the user reads the cause.
 */
export async function answerHook(
  kernel: Kernel,
  hook: Hook,
  client: Client,
  body: unknown,
): Promise<Answer> {
  kernel.telemetry.seen(hooksHeard, client)
  const troubles: string[] = []
  const trouble = (stage: string, error: unknown): void => {
    troubles.push(reportTrouble(kernel, client, stage, error))
  }
  let context = ''
  try {
    const payload = guardPayload(kernel, readPayload(body))
    const run = hook.run(kernel, { client, payload, trouble })
    const outcome = await within(hook, run, trouble, (outcome) => takeBack(kernel, outcome))
    context = emit(kernel, hook, client, payload.session_id, outcome)
  } catch (error) {
    trouble(hook.name, error)
  }
  const [cause] = troubles
  kernel.telemetry.seen(hooksAnswered, answerId({ client, hook: hook.name, cause }))
  const isShown = context !== '' || hook.answers === 'context'
  return {
    continue: true,
    suppressOutput: true,
    ...(cause !== undefined && { systemMessage: `Loam ${hook.name}: ${cause}` }),
    ...(isShown &&
      hook.answers !== 'nothing' && {
        hookSpecificOutput: { hookEventName: hook.event, additionalContext: context },
      }),
  }
}

const LATE = Symbol('late')

/** Nobody reads what comes too late: its agent was not told, and may be told another time. */
async function takeBack(kernel: Kernel, { injection, hearer }: Outcome): Promise<void> {
  if (hearer && injection?.item_ids) await untold(kernel, hearer, injection.item_ids)
}

/** Returns the outcome of the work, or undefined when it takes too long: late work goes on, to be unsaid. */
async function within(
  { name, deadlineMs }: Hook,
  work: Promise<Outcome | undefined>,
  trouble: (stage: string, error: unknown) => void,
  unsay: (outcome: Outcome) => Promise<void>,
): Promise<Outcome | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(resolve, deadlineMs, LATE)
  // A late failure must not end the process.
  work.catch(() => {})
  try {
    const outcome = await Promise.race([work, late])
    if (outcome !== LATE) return outcome
    trouble(`${name}.deadline`, new Late(`no answer within ${deadlineMs / 1000} s`))
    work.then((outcome) => outcome && unsay(outcome)).catch(() => {})
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

class Late extends Error {}

/** Cuts the injection to what the client passes on, and records exactly that. */
function emit(
  kernel: Kernel,
  { name }: Hook,
  client: Client,
  external_id: string,
  outcome: Outcome | undefined,
): string {
  if (!outcome) return ''
  const { injection } = outcome
  const content = injection ? cutFor(client, injection.text, injection.keep ?? 0) : ''
  recordInjection(kernel, { hook: name, client, external_id, content, outcome })
  return content
}

/** Logs and records a failure. Returns its words for the user. */
function reportTrouble(kernel: Kernel, client: Client, stage: string, error: unknown): string {
  const refusal = asRefusal(error)
  const said = error instanceof Late ? error.message : (refusal?.message ?? 'internal error')
  if (refusal || error instanceof Late) kernel.log.warn({ err: error, stage }, 'a hook failed')
  else kernel.log.error({ err: error, stage }, 'a hook failed')
  const [first = ''] = String(error instanceof Error ? error.message : error).split('\n', 1)
  const payload = { stage, error: maskSecrets(first).slice(0, 500), client }
  kernel.telemetry
    .push(hookError, { by: { session: '', model: '' }, project: null, item: null, payload })
    .catch((err: unknown) => kernel.log.warn({ err }, 'a failed hook was not recorded'))
  return said.split('\n', 1)[0]!
}
