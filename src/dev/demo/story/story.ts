/**
 * What is worked on, known and written at Wrenfield: a file of YAML for each project, `global.yaml` for what
 * holds everywhere.
 */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Subject } from './work.ts'

/** Something that an agent wrote down for those who come later. */
export interface KnownMemory {
  name: string
  kind: string
  description: string
  body: string
  tags?: string[]
  /** Where it holds, when that is not where its writer works. */
  project?: 'global'
}

/** Something that an agent produced. */
export interface KnownNote {
  title: string
  description: string
  body: string
  tags: string[]
  plan?: string
  source_url?: string
  project?: 'global'
  /** Changed later: words that are replaced. */
  edit?: { old_string: string; new_string: string }
  /** Added later. */
  append?: string
}

export interface Story {
  work: Subject[]
  memories: KnownMemory[]
  notes: KnownNote[]
}

const told = new Map<string, Story>()

/** The story of a project; '' is the global scope. */
export function storyOf(project: string): Story {
  const known = told.get(project)
  if (known) return known
  const file = new URL(`${project || 'global'}.yaml`, import.meta.url)
  const story = parse(readFileSync(file, 'utf8')) as Story
  if (project === '')
    for (const each of [...story.memories, ...story.notes]) each.project = 'global'
  told.set(project, story)
  return story
}
