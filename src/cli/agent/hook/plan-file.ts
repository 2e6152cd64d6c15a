import { basename, dirname, join, resolve } from 'node:path'
import { textOfFile } from '../../client/node.ts'
import type { Payload } from './payload.ts'

/** A plan is a page or two; what is longer is not read. */
const LONGEST = 2 * 1024 * 1024

const plansFolder = (home: string): string => join(home, '.claude', 'plans')

/** The file of a plan when the path is one: a markdown file directly in the folder of plans. */
function planFile(path: unknown, home: string): string | undefined {
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  const file = resolve(path.startsWith('~/') ? join(home, path.slice(2)) : path)
  const safe = /^[^.].*\.md$/.test(basename(file)) && !file.includes('..')
  return safe && dirname(file) === plansFolder(home) ? file : undefined
}

/** The file of a plan that a tool has written; undefined when it wrote another one, or none. */
export function planFileOf(
  { tool_input, tool_response }: Payload,
  home: string,
): string | undefined {
  const said = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Payload)[key] : undefined
  return (
    planFile(said(tool_response, 'filePath'), home) ?? planFile(said(tool_input, 'file_path'), home)
  )
}

/** What the file holds; undefined when there is none, or nothing in it. */
export function readPlan(file: string): string | undefined {
  const text = textOfFile(file) ?? ''
  return text.trim() === '' || text.length > LONGEST ? undefined : text
}
