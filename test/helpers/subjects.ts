/** Texts of a few subjects, whose words tell what they mean: enough for a model to be learned of. */
import type { Agent } from './agent.ts'

/** Subjects with their own words, two halves of which never stand in one text together with a third. */
const SUBJECTS = [
  ['harbour tide pier', 'ferry anchor quay', 'lighthouse mooring buoy'],
  ['oven yeast flour', 'dough crust bakery', 'sourdough knead loaf'],
  ['compiler parser token', 'syntax grammar lexer', 'bytecode linker symbol'],
  ['violin cello bow', 'orchestra sonata tempo', 'conductor viola score'],
  ['glacier moraine ice', 'crevasse summit ridge', 'avalanche snowfield col'],
]
export const NOTES = 6
const SECTIONS = 55
export const PASSAGES = NOTES * SECTIONS

/** Each names two of the three groups of its subject, in turns, so that all three are of one kind. */
export function textOf(nth: number): string {
  const groups = SUBJECTS[nth % SUBJECTS.length]!
  const [a, b] = [groups[nth % 3]!, groups[(nth + 1) % 3]!]
  const text = `The ${a} of case${nth} were seen. Later came ${b} near entry${nth % 40}. Nothing else of item${nth % 60} is known today. `
  // Two passages know each of these: a model of many words is handed over in many pieces.
  const rare = Array.from({ length: 8 }, (_, i) => `m${i}x${nth >> 1}`).join(' ')
  return `${text.repeat(5)} ${rare}`
}

/** Notes of many sections, each of which is a passage. */
export async function stock(agent: Agent, notes = NOTES, project = 'atlas'): Promise<void> {
  for (let note = 0; note < notes; note++) {
    const sections = Array.from(
      { length: SECTIONS },
      (_, nth) => `## Part ${nth}\n\n${textOf(note * SECTIONS + nth)}\n`,
    )
    await agent.call('notes_create', { title: `Log ${note}`, body: sections.join('\n'), project })
  }
}
