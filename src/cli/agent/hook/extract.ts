/**
 * What a hook's own payload does not say and only the agent's machine knows: the repository, the end
 * of the transcript, the text of a plan. The service never reads a client's disk.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Payload } from './payload.ts'
import { planFile, readPlan } from './plan-file.ts'
import { repositoryOf } from './repository.ts'
import * as transcript from './transcript.ts'

export type HookClient = 'claude-code' | 'codex'

/** How long a subagent's transcript may take to be whole. */
const REPORT_MS = 3_000
const REPORT_POLL_MS = 50

type Extract = (payload: Payload, client: HookClient, home: string) => Promise<Payload>

/** By event. What cannot be found is left out. */
const EXTRACTS: Record<string, Extract> = {
  'session-start': place,
  'user-prompt-submit': place,
  'subagent-start': async (payload, client) => {
    const path = client === 'codex' ? text(payload, 'transcript_path') : agentTranscript(payload)
    const spawn_prompt =
      path &&
      (client === 'codex'
        ? await transcript.firstAskedOfCodex(path)
        : await transcript.firstAskedOfClaude(path))
    return { ...(await place(payload)), ...(spawn_prompt && { spawn_prompt }) }
  },
  'subagent-stop': async (payload, client) => {
    if (client === 'codex') return {}
    const path = agentTranscript(payload)
    if (!path) return place(payload)
    const report = await wholeReport(path)
    const spawn_prompt = await transcript.firstAskedOfClaude(path)
    return {
      ...(await place(payload)),
      ...(spawn_prompt && { spawn_prompt }),
      ...(report && { report }),
    }
  },
  'session-end': async (payload) => {
    const path = text(payload, 'transcript_path')
    if (!path) return {}
    const [last, tokens] = await Promise.all([
      transcript.lastOfClaude(path),
      transcript.tokensOfClaude(path),
    ])
    return {
      ...(last?.findings && { findings: last.findings }),
      ...(last?.model && { model: last.model }),
      ...(tokens && { tokens }),
    }
  },
  stop: async (payload) => {
    const path = text(payload, 'transcript_path')
    const last = path ? await transcript.lastOfCodex(path) : {}
    const { model, ...rest } = last
    const findings = text(payload, 'last_assistant_message') ?? last.findings
    return {
      ...rest,
      ...(findings && { findings }),
      ...(!payload['model'] && model && { model }),
    }
  },
  'post-tool-use': async (payload, _, home) => {
    const file = planFileOf(payload, home)
    const plan_file_text = file && (await readPlan(file))
    return { ...(await place(payload)), ...(plan_file_text && { plan_file_text }) }
  },
  'permission-request': place,
}

export const hookEvents = Object.keys(EXTRACTS)

/** The payload with what this machine adds to it. What the client itself said is never replaced. */
export async function extract(
  event: string,
  payload: Payload,
  client: HookClient,
  home: string,
): Promise<Payload> {
  const found = await EXTRACTS[event]!(payload, client, home).catch(() => ({}))
  return { ...found, ...payload }
}

/** An edit that is of no plan concerns nobody, and there are hundreds of them in a session. */
export function concernsPlans(payload: Payload, home: string): boolean {
  return payload['tool_name'] === 'ExitPlanMode' || planFileOf(payload, home) !== undefined
}

async function place(payload: Payload): Promise<Payload> {
  const cwd = text(payload, 'cwd')
  return cwd ? { ...(await repositoryOf(cwd)) } : {}
}

function planFileOf({ tool_input, tool_response }: Payload, home: string): string | undefined {
  const said = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Payload)[key] : undefined
  return (
    planFile(said(tool_response, 'filePath'), home) ?? planFile(said(tool_input, 'file_path'), home)
  )
}

/** Where the transcript of the subagent lies that a payload speaks of. */
function agentTranscript(payload: Payload): string | undefined {
  const path = text(payload, 'transcript_path')
  const agent = text(payload, 'agent_id')
  if (path && /[/\\]subagents[/\\]agent-[^/\\]+\.jsonl$/.test(path)) return path
  if (!path?.endsWith('.jsonl') || !agent || /[/\\]|\.\./.test(agent)) return undefined
  return join(path.slice(0, -'.jsonl'.length), 'subagents', `agent-${agent}.jsonl`)
}

/** The client says that a subagent stopped a moment before it has written its last line. */
async function wholeReport(path: string): Promise<string | undefined> {
  const until = performance.now() + REPORT_MS
  for (;;) {
    const report = await transcript.reportOfClaude(path)
    if (report !== undefined || performance.now() > until) return report
    await sleep(REPORT_POLL_MS)
  }
}

function text(payload: Payload, key: string): string | undefined {
  const value = payload[key]
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value : undefined
}
