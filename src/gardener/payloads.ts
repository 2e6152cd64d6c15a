/** What a proposal of each kind says. It is kept as it was proposed; what lies there now is read when it is applied. */
import type { MemoryKind } from '../memories/memories.ts'

/** A memory as it was when something was proposed of it. */
export interface Brief {
  id: string
  name: string
  /** '' is the global scope. */
  project: string
  kind: MemoryKind
  description: string
}

/** Of what somebody asked for. */
interface Asked {
  source?: 'request'
  request_text?: string
}

/** A project that a split makes. */
export interface Label {
  slug: string
  label: string
}

export interface Payloads {
  merge: Asked & {
    keep: Brief
    drop: Brief
    /** How alike they are, 0 to 1; absent from what was asked for. */
    score?: number
    reason?: string
  }
  archive: Asked &
    Brief & {
      reason: string
      last_activity?: string
    }
  /** What the sessions of a project found out, in one note. */
  digest: Asked & {
    /** The id that its note will have. */
    id: string
    project: string
    /** YYYY-MM of its last day. */
    month: string
    /** Days, YYYY-MM-DD: the first and the last that it covers. */
    since: string
    until: string
    session_count: number
    title: string
    body: string
    /** The chat model that wrote it; '': it is made of the sessions' own words. */
    model: string
  }
  consolidate: Asked & {
    /** The id that the new memory will have. */
    id: string
    name: string
    kind: MemoryKind
    project: string
    description: string
    body: string
    /** `said`: the hash of the body that it had; older proposals have none. */
    sources: (Pick<Brief, 'id' | 'name' | 'project'> & { said?: string })[]
    /** The chat model that wrote it; '': a caller did, or it is made of the sources' own words. */
    model: string
    /** Who made the text. */
    author: 'caller' | 'mechanical' | 'model'
  }
  /** The frame of a split: its projects. Its moves are proposals of their own, of the same plan. */
  split: Asked & {
    source_project: string
    children: Label[]
    /** What all of them inherit; empty: nothing. */
    shared: Label | Record<string, never>
    family: string
    retire_source: boolean
    plan: string
  }
  /** A captured plan that nobody took up. */
  abandon_plan: {
    /** Of its note. */
    id: string
    /** Of the plan. */
    slug: string
    note_slug: string
    title: string
    project: string
    plan_status: string
    reason: string
    last_activity: string
  }
  reproject: Asked &
    Pick<Brief, 'id' | 'name'> & {
      from: string
      to: string
      rationale: string
      plan?: string
    }
  rekind: Asked &
    Pick<Brief, 'id' | 'name' | 'project'> & {
      from: MemoryKind
      to: MemoryKind
      rationale: string
    }
  /** What agents looked for in vain. */
  memory_wanted: {
    project: string
    /** The words that all of the questions have, sorted and joined by `-`. */
    signature: string
    /** As they asked, the newest first. */
    queries: string[]
    miss_count: number
    session_count: number
    first_missed_at: string
    last_missed_at: string
    suggested_title: string
    reason: string
  }
  /** What fails again and again. */
  tool_error: {
    project: string
    surface: 'tool' | 'hook'
    /** Of the tool; of a hook, the label of what failed. */
    name: string
    /** The words that all of the messages have, with placeholders; '' of a hook. */
    signature: string
    /** What was said, the newest first. */
    examples: string[]
    error_count: number
    /** 0 of a hook, which tells no session. */
    session_count: number
    first_seen_at: string
    last_seen_at: string
    suggested_title: string
    reason: string
    /** With what it was called, each as JSON that may be cut, the newest first. */
    example_args?: string[]
  }
}
