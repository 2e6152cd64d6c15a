/** Requests in words, understood by rules. The same words come to the same each time. */
import type { Kernel } from '../../kernel/kernel.ts'
import { archiveFitting, archiveNamed } from './forms/archive.ts'
import { consolidateNamed } from './forms/consolidate.ts'
import { findDuplicates, mergeDuplicates, mergeInto } from './forms/merge.ts'
import { moveFitting, moveNamed } from './forms/move.ts'
import { digestProject, partsOf, splitProject } from './forms/projects.ts'
import { rekindNamed } from './forms/rekind.ts'
import { readForm, type Form, type FormOf } from './grammar.ts'
import type { Within } from './meant.ts'
import type { SplitAsked, Understood } from './understood.ts'

export { FORMS } from './grammar.ts'

const UNDERSTAND: {
  readonly [Name in Form['form']]: (
    kernel: Kernel,
    within: Within,
    form: FormOf<Name>,
  ) => Promise<Understood | undefined>
} = {
  archive: archiveNamed,
  'archive-all': archiveFitting,
  merge: mergeInto,
  duplicates: mergeDuplicates,
  'find-duplicates': findDuplicates,
  move: moveNamed,
  'move-all': moveFitting,
  rekind: rekindNamed,
  split: splitProject,
  consolidate: consolidateNamed,
  digest: digestProject,
}

/**
 * Returns what a request asks for, with its memories looked up where its caller may read. What is not there, and what
 * may be several, is said and never guessed. Undefined: the request has none of the forms, or names nothing there is.
 */
export function understand(
  kernel: Kernel,
  within: Within,
  words: string,
): Promise<Understood | undefined> {
  const form = readForm(words)
  if (!form) return Promise.resolve(undefined)
  const read = UNDERSTAND[form.form] as (
    kernel: Kernel,
    within: Within,
    form: Form,
  ) => Promise<Understood | undefined>
  return read(kernel, within, form)
}

/**
 * The projects that a split makes, from "split P into A and B, shared S" or the part behind P. Undefined when the words
 * do not say it.
 */
export function splitMeant(words: string): Omit<SplitAsked, 'source'> | undefined {
  const form = readForm(words)
  const split = form?.form === 'split' ? form : readForm(`split it ${words}`)
  if (split?.form !== 'split' || split.children.length === 0) return undefined
  return partsOf(split)
}
