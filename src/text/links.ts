/** Wiki links: how one text names another item. */
import { slugify } from './slug.ts'

/** What a link names. */
export interface Link {
  name: string
  /** '' is the global scope; null: the link names no project. */
  project: string | null
}

/** `[[name]]`, `[[project/name]]`, either with `|what is shown` or `#a part of it` behind. */
const LINK = /\[\[([^\][\n]{1,400})\]\]/g
/** Nobody reads a text for more than this. */
const MOST = 500

/** The links of a text in their order, each once, names in slug form. */
export function linksOf(text: string): Link[] {
  const links = new Map<string, Link>()
  for (const [, inside = ''] of text.matchAll(LINK)) {
    const [target = ''] = inside.split(/[|#]/)
    const parts = target.split('/').map((part) => part.trim())
    const name = parts.at(-1)
    if (!name) continue
    const qualifier = parts.at(-2)
    const project = qualifier ? projectNamed(qualifier) : null
    const link = { name: slugify(name), project }
    links.set(JSON.stringify(link), link)
    if (links.size === MOST) break
  }
  return [...links.values()]
}

const projectNamed = (text: string): string =>
  text === 'global' || text === '_global' ? '' : slugify(text)
