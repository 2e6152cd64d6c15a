/** What clients that know skills are given beside the hooks: how to begin with Loam, and how to research with it. */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from './file.ts'

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
2. Before each trial ask what is known: \`trial_query\` with the lab, and a metric to sort by.
3. Change one thing. Say beforehand what you expect.
4. \`trial_record\`: title, changes, expected, actual, outcome (pass, fail, partial, inconclusive) and
   metrics as numbers. Trials are never changed afterwards; a mistake is another trial.
5. When the question is settled, keep the answer: \`memory_write\` with kind decision, or refuted for
   what turned out to be wrong.
`,
}

const MARK = '.loam-onboarded'

/** Brings a client's folder of skills in line. Returns lines for the owner. */
export async function putSkills(root: string, features: { research: boolean }): Promise<string[]> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const lines: string[] = []
  const mark = join(root, MARK)
  if (!(await exists(mark))) {
    await putSkill(root, ONBOARD)
    await writeFile(mark, '', { mode: 0o600 })
    lines.push(`skill ${ONBOARD.name}: added`)
  }
  const research = features.research
    ? (await putSkill(root, RESEARCH))
      ? 'added'
      : 'unchanged'
    : (await takeSkill(root, RESEARCH))
      ? 'removed'
      : undefined
  if (research) lines.push(`skill ${RESEARCH.name}: ${research}`)
  return lines
}

export async function takeSkills(root: string): Promise<string[]> {
  const lines: string[] = []
  for (const skill of [ONBOARD, RESEARCH]) {
    if (await takeSkill(root, skill)) lines.push(`skill ${skill.name}: removed`)
  }
  await rm(join(root, MARK), { force: true })
  return lines
}

async function putSkill(root: string, { name, description, body }: Skill): Promise<boolean> {
  const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`
  const path = join(root, name, 'SKILL.md')
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return false
  await writeWhole(path, text, { mode: 0o600 })
  const agent = `interface:\n  display_name: ${name}\n  short_description: ${JSON.stringify(description)}\n`
  await writeWhole(join(root, name, 'agents', 'openai.yaml'), agent, { mode: 0o600 })
  return true
}

/** Only a folder that holds a skill of ours by its name. */
async function takeSkill(root: string, { name }: Skill): Promise<boolean> {
  const folder = join(root, name)
  const text = await readFile(join(folder, 'SKILL.md'), 'utf8').catch(() => '')
  if (!text.startsWith(`---\nname: ${name}\n`)) return false
  await rm(folder, { recursive: true, force: true })
  return true
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
