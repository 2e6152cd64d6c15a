/** What the hooks of one client are like. Each client declares it in a file of its own below clients/. */
import type { Environment } from '../../../config.ts'
import type { Payload } from './payload.ts'

export const HOOK_EVENTS = [
  'session-start',
  'user-prompt-submit',
  'subagent-start',
  'subagent-stop',
  'session-end',
  'stop',
  'post-tool-use',
  'permission-request',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

/** The answer of the service, or ours when it is away. */
export interface Answer {
  /** Shown to the user, not to the agent. */
  systemMessage?: string
  hookSpecificOutput?: { hookEventName: string; additionalContext: string }
  [field: string]: unknown
}

/** Whose hook it is: the folder of the user, and what was set for the client. */
export interface Whereabouts {
  env: Environment
  home: string
}

/** Returns the fields that a payload gains; what cannot be found is left out. */
export type Add = (payload: Payload, at: Whereabouts) => Promise<Payload>

export interface HookClient {
  /** Puts a payload into our words; without it, the client uses them. */
  read?(payload: Payload, event: HookEvent): Payload | Promise<Payload>
  /** Whether the payload concerns us at all; without it, every one does. */
  concerns?(payload: Payload, event: HookEvent, at: Whereabouts): boolean
  /** What only this machine knows. Every payload gains the place where the client works. */
  adds?: Partial<Record<HookEvent, Add>>
  /** Puts an answer into the client's words; without it, the client uses ours. */
  answer?(answer: Answer, event: HookEvent, payload: Payload): object
}

/** Returns a text of a payload; undefined when it is empty or none. */
export function textOf(payload: Payload, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = payload[name]
    if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value
  }
  return undefined
}
