/**
 * Our own context blocks in a text that is not ours: some clients send a prompt together with what a hook
 * put before it, as it was or escaped for HTML or JSON.
 */
import { BLOCK_TAGS } from './context-block.ts'

const QUOTE = String.raw`(?:\\?"|&(?:amp;)*(?:quot|#0*34|#x0*22);)`
const LESS = String.raw`(?:<|&(?:amp;)*(?:lt|#0*60|#x0*3c);|\\u003c)`
const GREATER = String.raw`(?:>|&(?:amp;)*(?:gt|#0*62|#x0*3e);|\\u003e)`
const OWN_TAG = new RegExp(
  `${LESS}(/?)(${BLOCK_TAGS.join('|')}) id=${QUOTE}([0-9a-f]{16})${QUOTE}${GREATER}`,
  'gi',
)

/** What Gemini CLI writes around the words of hooks; empty once ours are gone. */
const EMPTY_WRAPPER = new RegExp(
  String.raw`${LESS}hook_context${GREATER}\s*${LESS}/hook_context${GREATER}`,
  'gi',
)

/**
 * Returns the text without our context blocks, each from its opening tag to the closing one of the same
 * number. A block that was never closed stays: nobody knows where it ends. Other text stays as it is,
 * but for the spaces at both ends when something was taken out.
 */
export function withoutOwnBlocks(text: string): string {
  if (!/loam-/i.test(text)) return text
  const tags = [...text.matchAll(OWN_TAG)].map(({ index, 0: whole, 1: slash, 2: tag, 3: id }) => ({
    opens: slash === '',
    block: `${tag} ${id}`.toLowerCase(),
    from: index,
    to: index + whole.length,
  }))
  // Where the blocks end, the next one last: one pass, however many tags somebody sends.
  const ends = new Map<string, number[]>()
  for (const { opens, block, to } of tags.toReversed()) {
    if (opens) continue
    const known = ends.get(block)
    if (known) known.push(to)
    else ends.set(block, [to])
  }
  let kept = ''
  let done = 0
  for (const { opens, block, from } of tags) {
    if (!opens) ends.get(block)?.pop()
    const end = ends.get(block)?.at(-1)
    if (!opens || from < done || end === undefined) continue
    kept += text.slice(done, from)
    done = end
  }
  if (done === 0) return text
  return (kept + text.slice(done)).replaceAll(EMPTY_WRAPPER, '').trim()
}
