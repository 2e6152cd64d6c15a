/** Requests about whole projects: to split one, and to digest what its sessions found. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { wireProject } from '../../../projects/projects.ts'
import { slugify } from '../../../text/slug.ts'
import type { FormOf } from '../grammar.ts'
import { plainName, type Within } from '../meant.ts'
import type { SplitAsked, Understood } from '../understood.ts'
import { looksLikeProject, noProject, projectMeant } from './place.ts'
import { nothingYet } from './refer.ts'

export async function splitProject(
  kernel: Kernel,
  within: Within,
  form: FormOf<'split'>,
): Promise<Understood | undefined> {
  const source = await projectMeant(kernel, within, form.source)
  const parts = partsOf(form)
  if (source) return { ...nothingYet(), split: { source, ...parts } }
  if (source === undefined && !looksLikeProject(form.source)) return undefined
  const guidance =
    source === ''
      ? 'the global scope is not split'
      : `${noProject(form.source)}: project_list names all`
  return { ...nothingYet(), split: parts, guidance }
}

/** The projects that a split makes, as its words name them. */
export function partsOf({ children, shared }: FormOf<'split'>): Omit<SplitAsked, 'source'> {
  const slug = slugify(plainName(shared ?? ''))
  const slugs = new Set(children.map((child) => slugify(plainName(child))))
  slugs.delete('')
  return { children: [...slugs], ...(slug && { shared: slug }) }
}

/** `reason` is the month, if one is named. */
export async function digestProject(
  kernel: Kernel,
  within: Within,
  { project: said, month }: FormOf<'digest'>,
): Promise<Understood | undefined> {
  const project = await projectMeant(kernel, within, said)
  if (project === undefined) {
    return looksLikeProject(said) ? { ...nothingYet(), skipped: [noProject(said)] } : undefined
  }
  const digest = { op: 'digest' as const, to: wireProject(project) }
  return { ...nothingYet(), operations: [{ ...digest, ...(month && { reason: month }) }] }
}
