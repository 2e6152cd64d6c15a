/**
 * The one guard of what agents write: every text among the arguments of every tool passes it before the
 * tool runs. What only selects is no text: it names what is there already, or what to take away.
 */
import type { Kernel } from '../kernel/kernel.ts'
import { isFree, isObject, type Shape, type Values } from '../kernel/schema/shape.ts'
import { findPlace } from '../projects/projects.ts'
import { noticeSecrets } from '../text/secret-policy.ts'
import { holdsSecret } from '../text/secrets.ts'
import type { Tool } from './tool.ts'

/** Parameters that select, on every tool and at every depth. Tools that only read take no others. */
const SELECTORS = new Set([
  'id',
  'ids',
  'depends_on',
  'add_depends_on',
  'supersedes',
  'target',
  'keep',
  'drop',
  'sources',
  'memory',
  'source',
  // What was seen before the write.
  'expect_hash',
  'claim_token',
  'old_string',
  // What goes away.
  'tags_remove',
  // Where it goes: to a project or a kind that is there.
  'to',
  // Who asks, and where. A project that a write would create is text all the same.
  'session',
  'project',
  'cwd',
  'repo',
  'repo_root',
])

/** Names by which a tool finds what another one makes. */
const FOUND_BY: Readonly<Record<string, string>> = {
  memory_append: 'name',
  memory_delete: 'name',
  memory_edit: 'name',
}

/** Whether a parameter of the tool is text that others may read. */
const isText = ({ name: tool, hints }: Tool, parameter: string): boolean =>
  !hints.readOnly && !SELECTORS.has(parameter) && FOUND_BY[tool] !== parameter

/** Refuses a call whose texts hold a credential, or returns the hint of it, as the owner's setting says. */
export async function guardTexts(
  kernel: Kernel,
  tool: Tool,
  input: Values,
): Promise<{ secret_hint?: string }> {
  const texts = [
    ...textsOf(tool, tool.input as Shape, input),
    ...(await madeProject(kernel, tool, input)),
  ]
  return noticeSecrets(kernel, texts)
}

/** Whether a call of the tool may be answered with the hint. */
export const takesText = (tool: Tool): boolean =>
  Object.entries((tool.input as Shape).properties ?? {}).some(
    ([name, shape]) => isText(tool, name) && mayHoldText(shape),
  )

function mayHoldText({ type, enum: choices, items, properties = {} }: Shape): boolean {
  if (type === 'string') return choices === undefined
  if (type === 'array') return items !== undefined && mayHoldText(items)
  if (type !== 'object') return false
  return isFree({ properties }) || Object.values(properties).some(mayHoldText)
}

function* textsOf(tool: Tool, shape: Shape, value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) {
    for (const item of value) yield* textsOf(tool, shape.items ?? {}, item)
  } else if (isObject(value)) {
    // Names that the caller chose are text, too, and tell what their values are.
    if (isFree(shape)) return yield JSON.stringify(value)
    for (const [name, item] of Object.entries(value))
      if (isText(tool, name)) yield* textsOf(tool, shape.properties?.[name] ?? {}, item)
  }
}

/** The slug of a project that looks like a credential and that the call would register. */
async function madeProject(
  { db }: Kernel,
  { hints }: Tool,
  { project }: Values,
): Promise<string[]> {
  if (hints.readOnly || typeof project !== 'string' || !holdsSecret(project)) return []
  return (await findPlace(db, project.trim())).registered ? [] : [project]
}
