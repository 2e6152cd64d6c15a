import { parse, stringify } from 'yaml'
import { isId } from '../kernel/id.ts'
import { Unreadable, type FileBytes } from '../vault/vault.ts'
import { ISOLATION, type Isolation } from './isolation.ts'
import type { Project } from './project.ts'

export const projectPath = (slug: string): string => `projects/${slug}.yaml`

export function renderProject({ id, slug, name, description, isolation }: Project): Buffer {
  return Buffer.from(stringify({ id, slug, name, description, isolation }, { lineWidth: 0 }))
}

/** A file larger than this describes no project. 64 KiB. */
const MAX_BYTES = 64 * 1024

/** The project that a file describes; its slug is the file's name. Throws Unreadable. */
export function parseProjectFile({ path, bytes }: FileBytes): Project {
  const slug = path.slice('projects/'.length, -'.yaml'.length)
  if (bytes.length > MAX_BYTES) throw new Unreadable('it is larger than 64 KiB')
  let head: Record<string, unknown>
  try {
    head = parse(bytes.toString('utf8'), { maxAliasCount: 0 }) as Record<string, unknown>
  } catch {
    throw new Unreadable('it is not YAML')
  }
  const text = (key: string): string => {
    const value = head?.[key]
    if (typeof value !== 'string' || value.includes('\0')) {
      throw new Unreadable(`its "${key}" is missing or not text`)
    }
    return value
  }
  const isolation = text('isolation') as Isolation
  if (!ISOLATION.includes(isolation)) {
    throw new Unreadable(`its "isolation" is not one of ${ISOLATION.join(', ')}`)
  }
  if (!isId(text('id'))) throw new Unreadable('its "id" is not a ULID')
  return { id: text('id'), slug, name: text('name'), description: text('description'), isolation }
}

/** Returns the bytes of a project's file with its texts changed. Throws Unreadable. */
export function rewriteTexts(file: FileBytes, change: (text: string) => string): Buffer {
  const project = parseProjectFile(file)
  const { name, description } = project
  return renderProject({ ...project, name: change(name), description: change(description) })
}
