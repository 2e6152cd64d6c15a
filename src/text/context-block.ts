/**
 * Context blocks: what Loam puts into an agent's context lies between two tags that stored text can
 * neither write nor close. The closing tag has a number made for this one block, and everything inside
 * that could be read as a tag of ours is shown with ‹. Stored bytes are never changed for it.
 */
import { randomBytes } from 'node:crypto'
import { cutBytes, withoutEnd } from './text.ts'

export const BLOCK_TAGS = ['loam-briefing', 'loam-recall', 'loam-plan-context'] as const
export type BlockTag = (typeof BLOCK_TAGS)[number]

/** The text between `<tag id="N">` and `</tag id="N">`, where N is 16 random hexadecimal digits. */
export function contextBlock(tag: BlockTag, text: string): string {
  const safe = defuse(text)
  let id = randomBytes(8).toString('hex')
  while (safe.toLowerCase().includes(id)) id = randomBytes(8).toString('hex')
  return `<${tag} id="${id}">\n${withoutEnd(safe, '\n')}\n</${tag} id="${id}">`
}

/** A block as `contextBlock` makes it: its first line, its content, its last line. */
const BLOCK = /^(<(loam-[a-z-]+) id="[0-9a-f]{16}">\n)([^]*\n)?(<\/\2 id="[0-9a-f]{16}">)$/

export interface Cap {
  /** How large the block may be, tags included. */
  most: number
  /** The unit of that. */
  unit: 'bytes' | 'characters'
  /** Lines before the closing tag that are never cut. */
  keep?: number
}

/**
 * Cuts a context block to size and keeps its tags and its last lines. A visible mark shows where it
 * was cut: at the end of a line, unless that loses more than half. Other text is only cut.
 */
export function capBlock(block: string, { most, unit, keep = 0 }: Cap): string {
  const size = (text: string): number =>
    unit === 'bytes' ? Buffer.byteLength(text) : [...text].length
  const cut = (text: string, to: number): string =>
    unit === 'bytes' ? cutBytes(text, to) : [...text].slice(0, Math.max(0, to)).join('')
  if (size(block) <= most) return block
  const [, open, , within = '', close] = BLOCK.exec(block) ?? []
  if (open === undefined || close === undefined) return cut(block, most)

  const lines = within.split('\n').slice(0, -1)
  const last =
    keep > 0
      ? lines
          .splice(-keep)
          .map((line) => `${line}\n`)
          .join('')
      : ''
  const room = most - size(open + MARK + last + close)
  const head = cut(lines.join('\n'), room)
  const end = head.lastIndexOf('\n')
  const shown = end > head.length / 2 ? head.slice(0, end) : head
  return `${open}${shown}${MARK}${last}${close}`
}

const MARK = '...\n'

/** Ways to write one character that a reader, or a program that decodes for it, takes for it. */
const CHARACTER =
  /&(?:amp;)*(?:#x0*([0-9a-f]{1,6})|#0*(\d{1,7})|(lt|sol|bsol|hyphen|dash|shy|nbsp|tab|newline|zwnj|zwj|zerowidthspace));?|(?:\\u|\\x|%)(?:00)?(3c|2f|5c|2d)|[^]/giu

const NAMED: Record<string, string> = { lt: '<', sol: '/', bsol: '\\', hyphen: '-', dash: '-' }

/** Looks like one of the characters that a tag of ours begins with. */
const LOOKALIKES: Record<string, string> = {
  '<': '˂ᐸᚲ❮❬⟨〈⧼«≺⋖⪡𝈶',
  '/': '⁄∕╱⟋⧸᜵⼃〳ノ丿⧵∖',
  l: '1i|ıіӏⅼɩιﺍا١۱ןߊᛁⵏꓲ𐊊ǀ∣⏐',
  o: '0оοօσⲟᴏოօ๐໐၀०০ഠ௦ہه٥۵ⵔꓳ𐊒ס',
  a: 'аαɑ⍺ᴀꓮ',
  m: 'мⅿ₥ɱᴍꓟϻᛖ',
  '-': '_−‒⁃ー一ᅳㅡⲻ➖',
}
const LOOKS = new Map(
  Object.entries(LOOKALIKES).flatMap(([as, signs]) => [...signs].map((sign) => [sign, as])),
)

/** Nothing to see: spaces, and what joins, marks or formats. */
const UNSEEN = /[\s\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu

/** What a reader sees in one character, in its plainest form; empty when that is nothing. */
function seen(character: string): string {
  const plain = character.normalize('NFKD').replaceAll(UNSEEN, '').toLowerCase()
  return [...plain].map((one) => LOOKS.get(one) ?? (/\p{Pd}/u.test(one) ? '-' : one)).join('')
}

/** As it is seen: every i is an l by then. */
const TAG = /<[\\/!?]*loa(?:m|rn)(?:-|brleflng|recall|plan-?context)/g

/** Shows every `<` from which a tag of ours could be read as ‹; everything else stays as it is. */
export function defuse(text: string): string {
  if (!LIKELY.test(text)) return text
  // The text as it is seen, and where in the text each of its characters stands.
  let shown = ''
  const from: number[] = []
  const spelled: string[] = []
  for (const found of text.matchAll(CHARACTER)) {
    const [whole, hex, decimal, name, escaped] = found
    const number = hex ?? escaped
    const said =
      number !== undefined
        ? characterOf(Number.parseInt(number, 16))
        : decimal !== undefined
          ? characterOf(Number(decimal))
          : name !== undefined
            ? (NAMED[name.toLowerCase()] ?? '')
            : whole
    for (const one of seen(said)) {
      shown += one
      for (let i = 0; i < one.length; i++) {
        from.push(found.index)
        spelled.push(whole)
      }
    }
  }
  let out = ''
  let done = 0
  for (const { index } of shown.matchAll(TAG)) {
    const at = from[index]!
    out += `${text.slice(done, at)}‹`
    done = at + spelled[index]!.length
  }
  return out + text.slice(done)
}

/** Whether a text needs the close look. Hardly any does. */
const LIKELY = new RegExp(`[<≮＜﹤${LOOKALIKES['<']}]|&|%3c|\\\\[ux]`, 'iu')

const characterOf = (code: number): string =>
  code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
