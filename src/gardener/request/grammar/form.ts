/** What the rules understand: a request in its parts, before anything is looked up. */

/** Memories as a request names them. */
export interface Named {
  /** Parts between commas; in each the parts between "and", which may belong to a name. Quotes are still there. */
  names: string[][]
  /** Of those that are meant the one that was changed last, or the one that was not. */
  pick?: Pick
  /** All of it as it was said. */
  said: string
}
export type Pick = 'newer' | 'older'

/** Memories by what they are. All of it applies at once. */
export interface Filter {
  topic?: string
  /** Not changed for more than so many. */
  days?: number
  /** As it was said: it may be no kind. */
  kind?: string
  tags: string[]
  /** As it was said. */
  project?: string
}

interface Because {
  reason?: string
}

export type Form =
  | ({ form: 'archive'; of: Named } & Because)
  | ({ form: 'archive-all'; filter: Filter } & Because)
  | ({ form: 'merge'; drop: Named; keep: string } & Because)
  | ({ form: 'duplicates'; of: Named; keep: { name: string } | { pick: Pick } } & Because)
  | { form: 'find-duplicates'; topic?: string }
  | ({ form: 'move'; of: Named; from?: string; to: string } & Because)
  | ({ form: 'move-all'; filter: Filter; to: string } & Because)
  | ({ form: 'rekind'; of: Named; to: string } & Because)
  | { form: 'split'; source: string; children: string[]; shared?: string }
  | ({ form: 'consolidate'; of: Named; name: string; description?: string } & Because)
  | { form: 'digest'; project: string; month?: string }

export type FormOf<Name extends Form['form']> = Extract<Form, { form: Name }>
