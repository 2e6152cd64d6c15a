/** What a room declares of its kind of document. Everything else in this room works by it. */
import type { EventKind } from '../kernel/event-kind.ts'
import type { Db } from '../kernel/kernel.ts'
import type { Refusal } from '../kernel/refusal.ts'

/** What the file of every document says; each kind adds what is its own. */
export interface Document {
  id: string
  description: string
  /** '' is the global scope. */
  project: string
  created: Date
  updated: Date
  /** The model that its content is of. */
  model: string
  favorite: boolean
  tags: string[]
  /** Its name is as long as one that was cut, and was not. */
  uncut: boolean
  /** Keys that are not ours: kept on every rewrite, never interpreted. */
  extra: Record<string, unknown>
  body: string
}

/** A document as its file was read or put. */
export type Put<D extends Document> = D & {
  /** Of its whole file. */
  content_hash: string
}

/** A document as it was read or written. */
export type Stored<D extends Document> = Put<D> & {
  /** False when the file is written and the database stayed away: recall finds it a little later. */
  indexed: boolean
}

/** What a caller does to a document that is found. To retire it is to delete or to end it. */
export type Act = 'change' | 'star' | 'retire'

type Head = Record<string, unknown>

/** One kind of document: `defineDocument` makes it. */
export interface DocumentKind<D extends Document = Document> {
  kind: 'memory' | 'note'
  /** The directory of its files below the data directory. */
  root: 'memory' | 'notes'
  table: 'memories' | 'notes'
  /** What its name is called: the column, and the key in the payload of events. */
  nameKey: 'name' | 'slug'
  nameOf(document: D): string
  /** Returns the name that a caller means, however it is spelled. */
  nameFrom(asked: string): string
  /** What its title is called in the payload of events. */
  titleKey: 'name' | 'title'
  titleOf(document: D): string

  head: {
    /** The keys that only this kind has. */
    keys: readonly string[]
    /** Those behind the id, the description among them. */
    first(document: D): Head
    /** Those behind the times. */
    second(document: D): Head
    /** Throws Unreadable. `shared` reads what every document has. */
    parse(head: Head, name: string, shared: () => Document): D
  }

  /** Returns what comes before text that is added at the end of a body. */
  lead(old: string, now: Date): string

  rows: {
    upsert(db: Db, document: D, path: string, hash: string): Promise<void>
    remove(db: Db, id: string): Promise<void>
    /** Whether recall finds it in one passage. */
    whole: boolean
  }

  events: {
    written: EventKind
    read: EventKind
    deleted: EventKind
    /** What `written` says beside the title when the file was changed by hand. */
    byHand?(document: D): object
  }

  words: {
    /** How a refusal calls a document that was looked for by name. */
    named(name: string): string
    /** Whether a refusal calls a document that was found by its name or by its id. */
    calledBy: 'name' | 'id'
    /** Ends the refusal when there is no document of the name. */
    advice: Record<Act, string>
    /** What to do instead of making it larger than 4 MiB. */
    tooLarge: string
    /** What to do instead of an edit that leaves nothing of its body. Left out: nothing may be left. */
    emptied?: string
    /** Ends the refusal of a file that cannot be understood. */
    broken: string
  }

  /** How a document of this kind ends. Left out: none ever does. */
  ending?: {
    ended(document: D): boolean
    /** Why a document that has ended is not changed, or gets no star. */
    refusal(name: string, act: Act): Refusal
  }
}

export const defineDocument = <D extends Document>(kind: DocumentKind<D>): DocumentKind<D> => kind
