/**
 * Capture: a public page, fetched safely and kept as a note.
 *
 * This file is the room's door. target.ts and addresses.ts say what may be reached, fetch.ts reaches
 * it, read.ts makes text of it; what is kept, and under which name, is decided here.
 */
import { readBuild } from '../kernel/build.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { maskSecrets } from '../text/secrets.ts'
import { nameProblem, slugify } from '../text/slug.ts'
import { createNote, type StoredNote } from '../notes/notes.ts'
import type { Scope } from '../projects/projects.ts'
import { fetchPage } from './fetch.ts'
import { readPage } from './read.ts'
import { parseUrl } from './target.ts'

export { parseUrl } from './target.ts'

/** Code points of a body, its first lines included. */
const MOST_POINTS = 50_000
const CUT = '\n\n[content truncated]'
/** The title rule of notes. */
const MOST_TITLE_BYTES = 255

/**
 * Fetches the page and makes a note of it. `project` has been resolved, registered and judged
 * before, so that nothing is requested for a caller who may not keep it.
 */
export async function capturePage(
  kernel: Kernel,
  by: Actor,
  target: { project: string; scope: Scope },
  asked: string,
): Promise<StoredNote> {
  const { network } = kernel
  const url = parseUrl(asked)
  const userAgent = `Loam/${readBuild().version}`
  const reading = await network.reaching(async (stop) => {
    const page = await fetchPage(kernel, url, { userAgent, stop })
    return network.digesting(() => readPage(kernel, page, stop))
  })
  const draft = {
    // Nobody chose what stands on the page: what looks like a credential is not kept.
    title: maskSecrets(titleOf(reading.title, url)),
    description: `Captured from ${asked}`,
    body: bodyOf(asked, reading),
    tags: ['created-by:agent', 'captured-url'],
    source_url: asked,
  }
  return createNote(kernel, by, target, draft, { numbered: true, payload: { source_url: asked } })
}

/** The page's own title, when a file can be named after it. */
function titleOf(found: string, url: URL): string {
  const title = asTitle(found)
  const own = title !== '' && nameProblem(slugify(title)) === null
  return own ? title : asTitle(url.host + url.pathname)
}

/** One line without what a title may not hold, and no longer than it may be. */
function asTitle(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll('\\', '/')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  let kept = ''
  let bytes = 0
  for (const point of line) {
    bytes += Buffer.byteLength(point)
    if (bytes > MOST_TITLE_BYTES) break
    kept += point
  }
  return kept.trim()
}

function bodyOf(asked: string, { text, cut }: { text: string; cut: boolean }): string {
  // A credential that reaches past the cut is still seen whole by the masking.
  const near = text.slice(0, 2 * MOST_POINTS + 8_192)
  const storable = maskSecrets(near.toWellFormed().replaceAll('\0', ''))
  const whole = `Source: ${asked}\n\n---\n\n${storable}`
  const points = [...whole]
  if (points.length > MOST_POINTS) return points.slice(0, MOST_POINTS).join('') + CUT
  return cut || near.length < text.length ? whole + CUT : whole
}
