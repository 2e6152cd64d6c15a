/**
 * Capture: a public page, fetched safely and kept as a note.
 *
 * This file is the room's door. target.ts and addresses.ts decide which addresses are allowed, fetch.ts
 * fetches the page, read.ts extracts its text, and this file decides on the note and its name.
 */
import { readBuild } from '../kernel/build.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { withoutSecrets } from '../text/secret-policy.ts'
import { nameProblem, slugify } from '../text/slug.ts'
import { createNote, type StoredNote } from '../notes/notes.ts'
import type { Scope } from '../projects/projects.ts'
import { readPage } from './read.ts'
import { parseUrl } from './target.ts'

export { parseUrl } from './target.ts'

/** The most code points of a body, with its first lines. */
const MAX_POINTS = 50_000
const CUT = '\n\n[content truncated]'
/** The limit of note titles. */
const MAX_TITLE_BYTES = 255

/**
 * Fetches the page and makes a note of it. The caller has resolved and judged the project before, so no
 * request leaves for a caller who may not write there. `open` registers it, once there is a page to keep.
 */
export async function capturePage(
  kernel: Kernel,
  by: Actor,
  { open, scope }: { open(): Promise<string>; scope: Scope },
  asked: string,
): Promise<StoredNote> {
  const { network } = kernel
  const url = parseUrl(asked)
  const userAgent = `Loam/${readBuild().version}`
  const reading = await network.reaching(async (stop) => {
    const { fetchPage } = await import('./fetch.ts')
    const page = await fetchPage(kernel, url, { userAgent, stop })
    return network.digesting(() => readPage(kernel, page, stop))
  })
  const draft = {
    title: titleOf(kernel, reading.title, url),
    description: `Captured from ${asked}`,
    body: bodyOf(kernel, asked, reading),
    tags: ['created-by:agent', 'captured-url'],
    source_url: asked,
  }
  const target = { project: await open(), scope }
  return createNote(kernel, by, target, draft, { numbered: true, payload: { source_url: asked } })
}

/**
 * Returns the page's own title, or the address when the title makes no file name. One without letters is kept. Nobody
 * chose either, so what looks like a credential is masked, before it is cut: a mask may be longer than what it hides.
 */
function titleOf(kernel: Kernel, found: string, url: URL): string {
  const title = asTitle(withoutSecrets(kernel, found))
  const slug = slugify(title)
  const own = title !== '' && (slug === '' || nameProblem(slug) === null)
  return own ? title : asTitle(withoutSecrets(kernel, url.host + url.pathname))
}

/** Returns one line without characters and lengths that a title may not have. */
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
    if (bytes > MAX_TITLE_BYTES) break
    kept += point
  }
  return kept.trim()
}

function bodyOf(
  kernel: Kernel,
  asked: string,
  { text, cut }: { text: string; cut: boolean },
): string {
  // The masking reads past the cut, so it sees a credential at the cut whole.
  const near = text.slice(0, 2 * MAX_POINTS + 8_192)
  const storable = withoutSecrets(kernel, near.toWellFormed().replaceAll('\0', ''))
  const whole = `Source: ${asked}\n\n---\n\n${storable}`
  const points = [...whole]
  if (points.length > MAX_POINTS) return points.slice(0, MAX_POINTS).join('') + CUT
  return cut || near.length < text.length ? whole + CUT : whole
}
