/** Wiki links: how one text names another item. */
import { cutSlug, slugify } from './slug.ts'

/** What a link names. */
export interface Link {
  name: string
  /** What stands before the name, as the caller reads it; null: nothing does. */
  qualifier: string | null
}

/** `[[name]]`, `[[qualifier/name]]`, either with `|what is shown` or `#a part of it` behind. */
const LINK = /\[\[([^\][\n]{1,400})\]\]/g
/** Nobody reads a text for more than this. */
const MOST = 500
/** Where the same ones are named again and again. */
const LOOKED_AT = 5_000

/**
 * Returns the links of a text in their order, each once, names in slug form. A long name is there as it was
 * cut in former times, too: an item of that time may be meant.
 */
export function linksOf(text: string, readQualifier: (text: string) => string): Link[] {
  const links = new Map<string, Link>()
  let seen = 0
  for (const [, inside = ''] of text.matchAll(LINK)) {
    if (seen++ === LOOKED_AT) break
    const [target = ''] = inside.split(/[|#]/)
    const parts = target.split('/').map((part) => part.trim())
    const name = parts.at(-1)
    if (!name) continue
    const before = parts.at(-2)
    const qualifier = before ? readQualifier(before) : null
    for (const slug of [slugify(name), cutSlug(name)]) {
      if (slug) links.set(JSON.stringify([slug, qualifier]), { name: slug, qualifier })
    }
    if (links.size >= MOST) break
  }
  return [...links.values()]
}
