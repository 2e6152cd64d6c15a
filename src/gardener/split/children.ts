/** The projects that a split makes, as its caller names them. */
import type { Kernel } from '../../kernel/kernel.ts'
import { invalid } from '../../kernel/refusal.ts'
import { isFenced, judge, type Scope } from '../../projects/projects.ts'
import { nameProblem, slugify } from '../../text/slug.ts'
import type { Label } from '../payloads.ts'

const RESERVED = new Set(['global', 'all'])

/**
 * Returns each once, in slug form. Refused when there are fewer than two, when one is the source, and when one is a project
 * that the caller may not change or that is fenced.
 */
export async function childrenNamed(
  kernel: Kernel,
  scope: Scope,
  source: string,
  given: readonly Label[],
): Promise<Label[]> {
  const bySlug = new Map<string, Label>()
  for (const one of given) {
    const part = await partNamed(kernel, scope, source, one)
    if (!bySlug.has(part.slug)) bySlug.set(part.slug, part)
  }
  if (bySlug.size >= 2) return [...bySlug.values()]
  throw invalid('a split needs two children or more: name projects that differ')
}

/** What the children inherit from. Undefined when it is the source or one of the children, or has no name. */
export async function sharedNamed(
  kernel: Kernel,
  scope: Scope,
  source: string,
  children: readonly Label[],
  given: Label | undefined,
): Promise<Label | undefined> {
  const slug = slugify(given?.slug ?? '')
  if (slug === '' || slug === source || children.some((child) => child.slug === slug)) {
    return undefined
  }
  return partNamed(kernel, scope, source, { slug, label: given!.label })
}

/**
 * What a split that names no shared project does with memories that no child takes: the child that is called so takes them,
 * else a project of this name is shared. Refused when that one is closed.
 */
export async function sharedAnyway(
  kernel: Kernel,
  scope: Scope,
  source: string,
  children: readonly Label[],
): Promise<{ to: string; shared: Label | undefined }> {
  const slug = slugify(`${source}-shared`)
  if (children.some((child) => child.slug === slug)) return { to: slug, shared: undefined }
  if (await isClosed(kernel, scope, slug)) {
    throw invalid(
      `no child takes every memory of ${source}, and project ${slug}, which would take the others, is closed: ` +
        'pass shared to name another',
    )
  }
  return { to: slug, shared: { slug, label: `${source} shared` } }
}

async function partNamed(
  kernel: Kernel,
  scope: Scope,
  source: string,
  { slug: asked, label }: Label,
): Promise<Label> {
  const slug = slugify(asked)
  if (RESERVED.has(slug) || nameProblem(slug)) {
    throw invalid(`${JSON.stringify(asked.slice(0, 100))} cannot be a project: choose another slug`)
  }
  if (slug === source) throw invalid(`${slug} is split: none of its children can have its slug`)
  if (await isClosed(kernel, scope, slug)) {
    throw invalid(`project ${slug} is closed: it cannot take part in a split`)
  }
  return { slug, label: label.trim() || slug }
}

async function isClosed(kernel: Kernel, scope: Scope, slug: string): Promise<boolean> {
  const verdict = await judge(kernel.db, scope.caller, slug)
  return verdict.registered && (isFenced(verdict) || !verdict.writable)
}
