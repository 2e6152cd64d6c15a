/** Claude Code: the words of its hooks are ours. Its transcripts are lines of JSON. */
import { dirname, join } from 'node:path'
import { fs } from '../../../client/node.ts'
import { type HookClient, textOf } from '../client.ts'
import type { Payload } from '../payload.ts'
import { planFileOf, readPlan } from '../plan-file.ts'

/** How long the transcript of a subagent may take to be whole. */
const REPORT_MS = 3_000
/** How long the call that starts a subagent may take to stand in the transcript of its parent. */
const CALL_MS = 250
const POLL_MS = 50
/** How long the transcripts of a session may be read for its tokens: its end must still be told. */
const TOKENS_MS = 4_000
/** As many subagents of a session are looked at to tell those that were started at once. */
const MOST_SIBLINGS = 50

export const claudeCode: HookClient = {
  /**
   * A task that ended speaks as if it were the user. A session that the user began as an agent has a kind, but it
   * is no subagent: those alone have an id.
   */
  read(payload, event) {
    if (event === 'session-start' && !textOf(payload, 'agent_id')) {
      const { agent_type: _, ...own } = payload
      return own
    }
    const isNotice =
      event === 'user-prompt-submit' && /^\s*<task-notification>/.test(String(payload['prompt']))
    return isNotice ? { ...payload, prompt: '' } : payload
  },

  /**
   * An edit that is of no plan concerns nobody, and there are hundreds of them in a session. VS Code runs
   * the hooks of Claude Code as well, with its own spelling, and has hooks of its own.
   */
  concerns(payload, event, at) {
    if (typeof payload['hookEventName'] === 'string') return false
    const isPlan = payload['tool_name'] === 'ExitPlanMode' || planFileOf(payload, at) !== undefined
    return event !== 'post-tool-use' || isPlan
  },

  adds: {
    async 'subagent-start'(payload) {
      const spawn_prompt = await askedOf(payload)
      return { ...(spawn_prompt && { spawn_prompt }) }
    },
    async 'subagent-stop'(payload) {
      const path = ownTranscript(payload)
      if (!path) return {}
      const transcript = await import('../transcript/claude.ts')
      const said = textOf(payload, 'last_assistant_message')
      const report = said ?? (await within(REPORT_MS, () => transcript.reportOfClaude(path)))
      const spawn_prompt = transcript.firstAskedOfClaude(path)
      return { ...(spawn_prompt && { spawn_prompt }), ...(report && { report }) }
    },
    async 'session-end'(payload) {
      const path = textOf(payload, 'transcript_path')
      if (!path) return {}
      const transcript = await import('../transcript/claude.ts')
      const all = [path, ...transcriptsIn(join(path.replace(/\.jsonl$/, ''), 'subagents'))]
      const tokens = await transcript.tokensOfClaude(all, TOKENS_MS)
      const { findings, model } = transcript.lastOfClaude(path) ?? {}
      return { ...(findings && { findings }), ...(model && { model }), ...(tokens && { tokens }) }
    },
    async stop(payload) {
      const path = textOf(payload, 'transcript_path')
      const { lastOfClaude } = await import('../transcript/claude.ts')
      const last = path ? lastOfClaude(path) : undefined
      const findings = textOf(payload, 'last_assistant_message') ?? last?.findings
      return { ...(findings && { findings }), ...(last?.model && { model: last.model }) }
    },
    'post-tool-use': (payload, at) => {
      const file = planFileOf(payload, at)
      const plan_file_text = file && readPlan(file)
      return Promise.resolve({ ...(plan_file_text && { plan_file_text }) })
    },
  },
}

/**
 * What a subagent that starts was asked. It has no transcript yet, or an empty one, but that of its parent
 * holds the call. Of several that were started at once nobody can say which one this is, so it is what all
 * those were asked that have not begun yet: that finds what concerns any of them.
 */
async function askedOf(payload: Payload): Promise<string | undefined> {
  const transcript = await import('../transcript/claude.ts')
  const own = ownTranscript(payload)
  const begun = own && transcript.firstAskedOfClaude(own)
  if (begun) return begun
  const [path, kind] = [textOf(payload, 'transcript_path'), textOf(payload, 'agent_type')]
  if (!path || !kind) return undefined
  const asked = await within(CALL_MS, () => {
    const found = transcript.askedOfSubagents(path, kind)
    return found.length > 0 ? found : undefined
  })
  if (!asked || asked.length === 1 || !own) return asked?.[0]
  const siblings = transcriptsIn(dirname(own)).filter((path) => path !== own)
  const others = siblings.slice(-MOST_SIBLINGS)
  const taken = others.map((other) => transcript.firstAskedOfClaude(other))
  const open = asked.filter((prompt) => !taken.includes(prompt))
  return (open.length > 0 ? open : asked).join('\n\n')
}

/** The transcripts of the subagents of a session, each in a file of its own. */
function transcriptsIn(folder: string): string[] {
  try {
    const names = fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
    return names.map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** Where the transcript of the subagent lies that a payload speaks of. */
function ownTranscript(payload: Payload): string | undefined {
  const path = textOf(payload, 'transcript_path')
  const agent = textOf(payload, 'agent_id')
  if (path && /[/\\]subagents[/\\]agent-[^/\\]+\.jsonl$/.test(path)) return path
  if (!path?.endsWith('.jsonl') || !agent || /[/\\]|\.\./.test(agent)) return undefined
  return join(path.slice(0, -'.jsonl'.length), 'subagents', `agent-${agent}.jsonl`)
}

/** The client speaks of a line a moment before it has written it. */
async function within<T>(ms: number, look: () => T | undefined): Promise<T | undefined> {
  const until = performance.now() + ms
  for (;;) {
    const found = look()
    if (found !== undefined || performance.now() > until) return found
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
