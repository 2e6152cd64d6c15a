import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** A plan is a page or two; what is longer is not read. */
const LONGEST = 2 * 1024 * 1024

const plansFolder = (home: string): string => join(home, '.claude', 'plans')

/** The file of a plan when the path is one: a markdown file directly in the folder of plans. */
export function planFile(path: unknown, home: string): string | undefined {
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  const file = resolve(path.startsWith('~/') ? join(home, path.slice(2)) : path)
  const safe = /^[^.].*\.md$/.test(basename(file)) && !file.includes('..')
  return safe && dirname(file) === plansFolder(home) ? file : undefined
}

/** What the file holds; undefined when there is none, or nothing in it. */
export async function readPlan(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim() === '' || text.length > LONGEST ? undefined : text
}
