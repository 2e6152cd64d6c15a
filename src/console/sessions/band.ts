/** The time of a session as a band: when it did what, and when nothing. */
import type { BandPart } from './trace.ts'

const WIDTH = 1_000

/** What of a part is shown, where it did several things at once. */
const RANKS = ['danger', 'written', 'injected', 'called'] as const

/** Neighbouring parts of one tone are one stretch; `x` and `width` are of 1000. */
export function spansOf(marks: readonly BandPart[], parts: number) {
  const tones = new Map<number, BandPart['tone']>()
  for (const { part, tone } of marks) {
    const known = tones.get(part)
    if (known === undefined || RANKS.indexOf(tone) < RANKS.indexOf(known)) tones.set(part, tone)
  }
  const spans: { first: number; last: number; tone: string }[] = []
  for (const [part, tone] of [...tones].toSorted(([a], [b]) => a - b)) {
    const open = spans.at(-1)
    if (open && open.tone === tone && open.last === part - 1) open.last = part
    else spans.push({ first: part, last: part, tone })
  }
  return spans.map(({ first, last, tone }) => ({
    x: Math.round((WIDTH * first) / parts),
    width: Math.max(3, Math.round((WIDTH * (last - first + 1)) / parts) - 1),
    tone,
  }))
}
