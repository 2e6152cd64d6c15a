import type { Static, TObject } from 'typebox'
import type { Features } from '../features/features.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import type { Scopes } from '../projects/projects.ts'
import type { BoundSession } from './bound-session.ts'

/** What a tool knows of its call, beside its input. */
export interface Call {
  kernel: Kernel
  /** Who acts: stamped on what is written. */
  actor: Actor
  /** Resolves what the caller may read and where it may write. The `project` argument goes nowhere else. */
  scopes: Scopes
  /** The id of the connection; '' when the client speaks the protocol without connections. */
  connection: string
  /** For whom the call speaks: named in it, bound to its connection, or shown by its client and known. */
  session: BoundSession | null
  /** The client's name as its hooks say it; '' when it is not known. */
  client: string
  /** The open lab; '' when there is none. */
  lab: string
  /** What is on for this call. */
  features: Features
  /** When its context was asked for, by performance.now(). */
  began: number
  /** Opens the lab for the session, else for the connection. Returns false when there is neither. */
  keepLab(lab: string): Promise<boolean>
  /** Attributes the call to this session, and binds its connection to it. */
  bind(session: BoundSession): Promise<void>
  /** Attributes the call to this session, on which it acts. */
  attribute(session: BoundSession): void
}

export interface Tool<Input extends TObject = TObject, Output extends TObject = TObject> {
  /** The name on the wire, and of the file. */
  name: string
  /** A short name for people. */
  title: string
  /** For an agent that chooses a tool: what it is for, then what to use instead. */
  description: string
  input: Input
  /** What `structuredContent` holds. The tests validate every result against it. */
  output: Output
  /** All four are required, so that no tool is silently taken for safe. */
  hints: { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean }
  /** Every agent needs it: a client that shows most tools by name alone shows this one whole. */
  core?: true
  /** The optional feature that owns the tool; while it is off the tool does not exist. */
  feature?: 'research'
  /** What changes while the research feature is on. */
  research?: { description: string; input: TObject }
  /** The `session` argument names what the tool acts on: it may have ended, and is not revived. */
  target?: 'session'
  run(input: Static<Input>, call: Call): Promise<Static<Output>>
}

/** Gives a tool its types. */
export function defineTool<Input extends TObject, Output extends TObject>(
  tool: Tool<Input, Output>,
): Tool {
  return tool as unknown as Tool
}
