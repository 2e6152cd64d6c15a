/** Single tasks, trials, changes of mind and what went wrong, spread over the six weeks. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DemoAgent } from '../agent.ts'
import type { TaskAccount } from '../ledger.ts'
import { archive } from '../../../memories/memories.ts'
import { NOBODY } from '../../../kernel/kernel.ts'
import { reconcile } from '../../../vault/reconcile.ts'
import { storyOf } from '../story/story.ts'
import { DAY, HOUR } from '../timeline.ts'
import { recall, writeMemory } from '../writing.ts'
import { tell, visitDaysAgo, type Chapter } from './chapter.ts'
import { addTask, claimTask, setTask } from './tasks.ts'

interface Errands {
  tasks: {
    project: string
    title: string
    /** `begun`: in progress without a claim. */
    state: 'open' | 'done' | 'dropped' | 'begun'
    ago: number
    /** The title of what it waits for. */
    after?: string
  }[]
  trials: ({
    lab: string
    project: string
    outcome: string
    ago: number
    starred?: boolean
  } & Record<string, unknown>)[]
  mishaps: string[]
  unanswered: string[]
  successions: { project: string; old: string; name: string; description: string }[]
  twins: { project: string; of: string; name: string; description: string }[]
  archived: { project: string; name: string }[]
  starred: { kind: string; project: string; id: string }[]
}

export const errands = tell<Errands>('errands')

/** Whether the story ends with the memory archived. */
export const isArchived = (project: string, name: string): boolean =>
  errands.archived.some((one) => one.project === project && one.name === name)

export function runErrands(chapter: Chapter): void {
  giveTasks(chapter)
  tryThings(chapter)
  askInVain(chapter)
  changeMinds(chapter)
  chapter.timeline.add(chapter.now - 3 * DAY, () => archiveSome(chapter))
  chapter.timeline.add(chapter.now - 2 * HOUR, () => spoilFile(chapter))
}

function giveTasks(chapter: Chapter): void {
  const { world } = chapter
  const made = new Map<string, TaskAccount>()
  for (const { project, title, state, ago, after } of errands.tasks) {
    visitDaysAgo(chapter, ago, {
      project,
      prompt: `Write a task for what is left, so that it is not forgotten: ${title}.`,
      findings: `One task added: ${title}.`,
      minutes: 20 + (after ? 10 : 0),
      steps: [
        {
          // What it waits for is there by then.
          after: after ? 28 : 10,
          async run(agent) {
            const before = after ? made.get(after) : undefined
            const dependsOn = before ? [before.id] : []
            made.set(title, await addTask(world, agent, { title, dependsOn }))
          },
        },
      ],
    })
    if (state === 'open') continue
    visitDaysAgo(chapter, ago - 2, {
      project,
      prompt: `Take "${title}".`,
      findings: `${title}: looked into it. ${state === 'done' ? 'Done, with a test.' : 'See the task.'}`,
      steps: [
        {
          after: 3,
          async run(agent) {
            const task = made.get(title)!
            const held = state === 'done' ? await claimTask(world, agent, task) : undefined
            const to = state === 'begun' ? 'in_progress' : state
            await setTask(world, agent, task, to, held?.token)
          },
        },
      ],
    })
  }
}

function tryThings(chapter: Chapter): void {
  const { world } = chapter
  for (const { ago, project, starred = false, ...trial } of errands.trials) {
    const { lab, outcome } = trial
    visitDaysAgo(chapter, ago, {
      project,
      prompt: `${String(trial['title'])}: try it, and write down what comes of it.`,
      findings: `Tried: ${String(trial['title'])}. ${String(trial['actual'])}.`,
      steps: [
        { after: 4, run: (agent) => agent.call('trial_query', { lab }) },
        {
          after: 16,
          async run(agent) {
            const { id } = await agent.call('trial_record', trial)
            agent.account.trials++
            const { key: session } = agent.account
            world.ledger.trials.push({ id, lab, project, outcome, session })
            if (starred) await agent.call('favorite_set', { kind: 'trial', id, favorite: true })
          },
        },
      ],
    })
  }
}

/** Questions that several agents asked and nobody answered. */
function askInVain(chapter: Chapter): void {
  for (const [i, query] of errands.unanswered.entries()) {
    for (const ago of [12, 7, 3, 1]) {
      visitDaysAgo(chapter, ago + i / 4, {
        project: ['infra', 'atlas', 'mobile-app', 'infra'][(ago + i) % 4]!,
        prompt: `What do we have on ${query}?`,
        findings: `Nothing is written down on ${query}.`,
        minutes: 12,
        steps: [{ after: 1, run: (agent) => recall(agent, query, { scope: 'memories' }) }],
      })
    }
  }
}

/** Facts that changed, facts that were written twice, and what is starred. */
function changeMinds(chapter: Chapter): void {
  const { world } = chapter
  const body = (project: string, of: string): string =>
    storyOf(project).memories.find(({ name }) => name === of)?.body ?? ''
  const kindOf = (project: string, of: string): string =>
    storyOf(project).memories.find(({ name }) => name === of)!.kind
  for (const { project, old, name, description } of errands.successions) {
    visitDaysAgo(chapter, 2, {
      project,
      prompt: `What ${old} says is no longer true. Put it right for those who come later.`,
      findings: `${old} is superseded by ${name}.`,
      steps: [
        { after: 3, run: (agent) => readByName(agent, old) },
        {
          after: 9,
          async run(agent) {
            const kind = kindOf(project, old)
            const memory = {
              name,
              kind,
              description,
              body: `${body(project, old)}\n\nSince this week.`,
            }
            await writeMemory(agent, memory, { supersedes: old })
            memoryOf(chapter, project, old).status = 'superseded'
          },
        },
      ],
    })
  }
  for (const { project, of, name, description } of errands.twins) {
    visitDaysAgo(chapter, 4, {
      project,
      prompt: `We lost an hour to this again. Write down the rule: ${description}.`,
      findings: `The rule stands as ${name}.`,
      steps: [
        {
          after: 6,
          run: (agent) =>
            writeMemory(agent, {
              name,
              kind: kindOf(project, of),
              description,
              body: body(project, of),
            }),
        },
      ],
    })
  }
  for (const [i, { kind, project, id }] of errands.starred.entries()) {
    visitDaysAgo(chapter, 1 + (i % 3), {
      project,
      prompt: `Star ${id}; we come back to it every week.`,
      findings: `${id} is starred.`,
      minutes: 8,
      steps: [
        {
          after: 2,
          async run(agent) {
            await agent.call('favorite_set', { kind, id, favorite: true })
            const { memories, notes } = world.ledger
            const item = [...memories, ...notes].find(
              (each) => each.name === id && each.project === project,
            )
            if (item) item.starred = true
          },
        },
      ],
    })
  }
}

async function readByName(agent: DemoAgent, name: string): Promise<void> {
  await agent.call('memory_read', { name })
  agent.account.memoryReads++
}

const memoryOf = ({ world: { ledger } }: Chapter, project: string, name: string) =>
  ledger.memories.find((each) => each.name === name && each.project === project)!

async function archiveSome(chapter: Chapter): Promise<void> {
  for (const { project, name } of errands.archived) {
    const memory = memoryOf(chapter, project, name)
    await archive(chapter.world.house.kernel, NOBODY, memory.id, {
      reason: 'nobody needed it for a month',
    })
    memory.status = 'archived'
  }
}

/** A file that somebody edited by hand, and that can no longer be read. */
async function spoilFile({ world: { house } }: Chapter): Promise<void> {
  const path = join(house.kernel.config.data_dir, 'memory', 'infra', 'dns-at-the-registrar.md')
  await writeFile(
    path,
    '---\nname: dns-at-the-registrar\nkind: [reference\n---\n\nHalf a change.\n',
  )
  await reconcile(house.kernel)
}
