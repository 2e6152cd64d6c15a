/** Plans that Claude Code’s plan mode made: one approved, one left, one that waits for its owner. */
import { sql } from 'kysely'
import type { DemoAgent } from '../agent.ts'
import type { DemoHouse } from '../house.ts'
import { MINUTE } from '../timeline.ts'
import { tell, visitDaysAgo, type Chapter } from './chapter.ts'

interface Captured {
  /** Of the plan, without .md. */
  file: string
  project: string
  began: number
  state: 'approved' | 'draft' | 'presented'
  /** One for each iteration. */
  texts: string[]
}

const path = (file: string): string => `/home/mara/.claude/plans/${file}.md`

export function capturePlans(chapter: Chapter): void {
  for (const plan of tell<{ captured: Captured[] }>('plans').captured) capture(chapter, plan)
}

function capture(chapter: Chapter, plan: Captured): void {
  const { world, random, now } = chapter
  const { file, project, began, state, texts } = plan
  const isLive = began === 0
  const agent_id = random.hex(12)
  const title = texts[0]!.split('\n')[0]!.replace('# ', '')
  visitDaysAgo(chapter, began, {
    project,
    client: 'claude-code',
    prompt: `Plan first, change nothing: ${title.toLowerCase()}.`,
    ...(isLive
      ? { at: now - 41 * MINUTE, minutes: 40, ending: 'goes on', isCounted: false }
      : { findings: `The plan "${title}" is ${state}.` }),
    steps: [
      { after: 2, run: (agent) => explore(world, agent, agent_id, project) },
      ...texts.map((text, i) => ({
        after: 6 + 2 * i,
        run: (agent: DemoAgent) => save(world, agent, file, text),
      })),
      ...(state === 'draft'
        ? []
        : [{ after: 12, run: (agent: DemoAgent) => present(agent, file) }]),
      ...(state === 'approved'
        ? [{ after: 15, run: (agent: DemoAgent) => approve(world, agent, plan) }]
        : []),
    ],
  })
  world.ledger.plans.push({ slug: slugOf(title), project, kind: 'captured', status: state })
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** A subagent looks around for the plan; its report is kept. */
async function explore(
  world: DemoHouse,
  agent: DemoAgent,
  agent_id: string,
  project: string,
): Promise<void> {
  const spawn_prompt = `Find everything in ${project} that this would touch, with paths. Change nothing.`
  await agent.hook('subagent-start', { agent_id, agent_type: 'Explore', spawn_prompt })
  await agent.hook('subagent-stop', {
    agent_id,
    agent_type: 'Explore',
    spawn_prompt,
    permission_mode: 'plan',
    report:
      'Seven files. Three read, one writes, three are tests. The writer has no test of its own.',
  })
  agent.account.noteWrites++
  await keepNotes(world, agent)
}

async function save(world: DemoHouse, agent: DemoAgent, file: string, text: string): Promise<void> {
  const tool_input = { file_path: path(file), content: text }
  const isFirst = !world.ledger.notes.some(({ name }) => name === `cc-plan-${file}`)
  await agent.hook('post-tool-use', { tool_name: 'Write', tool_input, plan_file_text: text })
  // The report of the subagent joins a plan when that begins.
  agent.account.noteWrites += isFirst ? 2 : 1
  await keepNotes(world, agent)
}

async function present(agent: DemoAgent, file: string): Promise<void> {
  const tool_input = { planFilePath: path(file) }
  await agent.hook('permission-request', { tool_name: 'ExitPlanMode', tool_input })
  agent.account.noteWrites++
}

async function approve(world: DemoHouse, agent: DemoAgent, plan: Captured): Promise<void> {
  const plan_file_text = plan.texts.at(-1)!
  const tool_response = { filePath: path(plan.file), plan: plan_file_text }
  await agent.hook('post-tool-use', { tool_name: 'ExitPlanMode', tool_response, plan_file_text })
  agent.account.noteWrites++
  const title = `Implement plan: ${plan_file_text.split('\n')[0]!.replace('# ', '')}`
  const { rows } = await sql<{ id: string; plan: string }>`
    select id, plan from tasks where title = ${title}`.execute(world.house.kernel.db)
  const at = world.now().toISOString()
  const { project } = agent.account
  world.ledger.tasks.push({
    ...{ id: rows[0]!.id, name: title, project, kind: 'task', status: 'open', starred: false },
    ...{ created: at, updated: at, plan: rows[0]!.plan, dependsOn: [], holder: null },
    leaseUntil: null,
  })
}

/** Enters the notes that came of a hook: nobody is told their ids. */
async function keepNotes(world: DemoHouse, agent: DemoAgent): Promise<void> {
  const known = new Set(world.ledger.notes.map(({ id }) => id))
  const { rows } = await sql<{ id: string; slug: string }>`
    select id, slug from notes order by id`.execute(world.house.kernel.db)
  for (const { id, slug } of rows) {
    if (!known.has(id)) agent.keep('notes', { id, name: slug, kind: 'note' })
  }
}
