/** What of ours belongs into one file of a client. */

/** What became of one part. */
export type Outcome =
  | 'added'
  | 'updated'
  | 'adopted'
  | 'deduped'
  | 'unchanged'
  | 'removed'
  | 'another of this name is there; it was left as it is'

/** A list of somebody else with elements of ours, under some keys of one object. */
export interface Lists {
  kind: 'lists'
  /** What is said of it, instead of the names of its lists. */
  about?: string
  in: readonly string[]
  /** The elements of each list; lists that are not named here lose theirs. */
  wanted: Record<string, readonly unknown[]>
  ours(item: unknown): boolean
  /** Of an element that is somebody else's by now: the places within it that are still ours. */
  within?(item: unknown): (string | number)[][]
  /** Lists that are not named are never looked at. */
  only?: true
  /** Plain words carry no mark: only those that were put in are taken out. */
  words?: true
}

/** A key of ours in an object of somebody else; other keys of our value are the user's and stay. */
export interface Member {
  kind: 'member'
  /** What is said of it, instead of its key. */
  about?: string
  in: readonly string[]
  key: string
  value: unknown
  ours(value: unknown): boolean
  /** Whether a value of ours is to be replaced as a whole, with all that stands beside it. */
  spoiled?(value: unknown): boolean
}

/** What is needed beside ours: put in where it is missing, never replaced. */
export interface Seed {
  kind: 'seed'
  key: string
  value: unknown
}

export type Part = Lists | Member | Seed

export interface Sheet {
  path: string
  /** `toml` knows members alone; `text` is a file that is ours as a whole. */
  format: 'json' | 'toml' | 'text'
  /** What is said of its parts. */
  parts: readonly Part[]
  /** Of a text: its content, and the line by which it is known as ours. */
  text?: { content: string; mark: string }
}

/** The text of a file as it goes through the parts. */
export interface Draft {
  text: string
  made: string[][]
  outcomes: Record<string, Outcome>
}
