import { basename, dirname, join, resolve } from 'node:path'
import { textOfFile } from '../../client/node.ts'
import type { Whereabouts } from './client.ts'
import type { Payload } from './payload.ts'

/** A plan is a page or two; what is longer is not read. */
const LONGEST = 2 * 1024 * 1024

/** Claude Code keeps all that is its own in another folder when its user says so. */
const plansFolder = ({ env, home }: Whereabouts): string =>
  join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'plans')

/** The file of a plan when the path is one: a markdown file directly in the folder of plans. */
function planFile(path: unknown, at: Whereabouts): string | undefined {
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  const file = resolve(path.startsWith('~/') ? join(at.home, path.slice(2)) : path)
  const safe = /^[^.].*\.md$/.test(basename(file)) && !file.includes('..')
  return safe && dirname(file) === resolve(plansFolder(at)) ? file : undefined
}

/** The file of a plan that a tool has written; undefined when it wrote another one, or none. */
export function planFileOf(
  { tool_input, tool_response }: Payload,
  at: Whereabouts,
): string | undefined {
  const said = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Payload)[key] : undefined
  return (
    planFile(said(tool_response, 'filePath'), at) ?? planFile(said(tool_input, 'file_path'), at)
  )
}

/** What the file holds; undefined when there is none, or nothing in it. */
export function readPlan(file: string): string | undefined {
  const text = textOfFile(file) ?? ''
  return text.trim() === '' || text.length > LONGEST ? undefined : text
}
