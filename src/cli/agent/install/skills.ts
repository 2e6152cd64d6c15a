/** What clients that know skills are given beside the hooks: how to begin with Loam, and how to research with it. */
import { join } from 'node:path'
import type { Outcome, Sheet } from './edit/parts.ts'
import type { Receipts } from './edit/receipts.ts'
import { lookAt, putSheet, takeSheet } from './edit/sheet.ts'

interface Skill {
  name: string
  description: string
  body: string
}

/** Delivered once: it takes itself away, and the mark keeps it from coming back. */
const ONBOARD: Skill = {
  name: 'loam-onboard',
  description:
    'Introduces this machine to Loam, the shared memory of its agents. Use it once, when the user asks to set up Loam or when its first briefing appears.',
  body: `# Begin with Loam

Loam keeps what agents learn: memories (what is true), notes (what was produced), and the work that is
divided between them. Its tools are served over MCP under the name \`loam\`.

1. Check that it answers: call \`project_list\`.
2. Ask the user whether a short section about Loam may be added to their instructions, and to which:
   the global file, the project's own, or neither.
3. If they agree, append this block, once, and keep its two marks:

   <!-- loam:begin -->
   ## Shared memory
   - Before you guess or ask, \`recall\` it; read what matters with \`memory_read\` or \`notes_read\`.
   - When you learn something that the next agent needs, write it: one fact with \`memory_write\`, a
     longer text with \`notes_create\`.
   - When you end, \`session_end\` with your findings and with what went wrong.
   <!-- loam:end -->

   In place of an older block between the same marks, never beside it.
4. Remove the folder of this skill. It is not delivered again.
`,
}

/** Only while the research feature is on. */
const RESEARCH: Skill = {
  name: 'loam-research',
  description:
    'Runs experiments as a series of recorded trials. Use it when a question is settled by trying variants and measuring, such as tuning, benchmarking or hunting a flaky failure.',
  body: `# Research with Loam

A lab is a series of trials about one question.

1. \`lab_open\` with a short name. The lab stays open for this session.
2. Before each trial ask what is known: \`trial_query\` with the lab, and with the
   outcome or the figures that matter.
3. Change one thing. Say beforehand what you expect.
4. \`trial_record\`: title, changes, expected, actual, outcome (pass, fail, partial, inconclusive) and
   metrics as numbers. Trials are never changed afterwards; a mistake is another trial.
5. When the question is settled, keep the answer: \`memory_write\` with kind decision, or refuted for
   what turned out to be wrong.
`,
}

const DELIVERED = '.loam-onboarded'

/** Brings a client's folder of skills in line. Returns lines for the owner. */
export async function putSkills(
  root: string,
  features: { research: boolean },
  receipts: Receipts,
): Promise<string[]> {
  const lines: string[] = []
  const delivered = deliveredIn(root)
  if ((await lookAt(delivered))['file'] === 'added') {
    await putSkill(root, ONBOARD, receipts)
    await putSheet(delivered, receipts)
    lines.push(`skill ${ONBOARD.name}: added`)
  }
  const research = features.research
    ? await putSkill(root, RESEARCH, receipts)
    : (await takeSkill(root, RESEARCH, receipts, { dry: false }))
      ? 'removed'
      : undefined
  if (research) lines.push(`skill ${RESEARCH.name}: ${research}`)
  return lines
}

/** Takes the skills out again. Returns what was there. */
export async function takeSkills(
  root: string,
  receipts: Receipts,
  how: { dry: boolean },
): Promise<string[]> {
  const taken: string[] = []
  for (const skill of [ONBOARD, RESEARCH]) {
    if (await takeSkill(root, skill, receipts, how)) taken.push(`skill ${skill.name}`)
  }
  await takeSheet(deliveredIn(root), receipts, how)
  return taken
}

/** The skills that are there, and whether they are as they should be. */
export async function skillsIn(root: string): Promise<[string, Outcome][]> {
  const found = [ONBOARD, RESEARCH].map(async (skill): Promise<[string, Outcome]> => {
    const outcomes = await Promise.all(filesOf(root, skill).map(lookAt))
    const different = outcomes.find(({ file }) => file !== outcomes[0]!['file'])
    return [skill.name, different ? 'updated' : outcomes[0]!['file']!]
  })
  return (await Promise.all(found)).filter(([, outcome]) => outcome !== 'added')
}

async function putSkill(root: string, skill: Skill, receipts: Receipts): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const sheet of filesOf(root, skill))
    outcomes.push((await putSheet(sheet, receipts))['file']!)
  return outcomes[0]!
}

/** Only files that are ours by their mark; what somebody put beside them stays. */
async function takeSkill(
  root: string,
  skill: Skill,
  receipts: Receipts,
  how: { dry: boolean },
): Promise<boolean> {
  const taken: string[] = []
  for (const sheet of filesOf(root, skill)) taken.push(...(await takeSheet(sheet, receipts, how)))
  return taken.length > 0
}

function filesOf(root: string, { name, description, body }: Skill): Sheet[] {
  const mark = `name: ${name}\n`
  const about = `interface:\n  display_name: ${name}\n  short_description: ${JSON.stringify(description)}\n`
  const file = (path: string, content: string): Sheet => ({
    path: join(root, name, path),
    format: 'text',
    parts: [],
    text: { content, mark },
  })
  return [
    file('SKILL.md', `---\n${mark}description: ${description}\n---\n\n${body}`),
    file(join('agents', 'openai.yaml'), about),
  ]
}

/** Says that the first skill was delivered, also when it has taken itself away. */
const deliveredIn = (root: string): Sheet => ({
  path: join(root, DELIVERED),
  format: 'text',
  parts: [],
  text: { content: 'loam-onboard was delivered\n', mark: 'loam-onboard' },
})
