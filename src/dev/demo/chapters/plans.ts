/** Plans that agents composed of notes and tasks, at every point of their way. */
import type { TaskAccount } from '../ledger.ts'
import { createNote } from '../writing.ts'
import { tell, visitDaysAgo, type Chapter } from './chapter.ts'
import { addTask, claimTask, setTask } from './tasks.ts'

interface Composed {
  slug: string
  project: string
  /** In days before the last one. */
  began: number
  title: string
  description: string
  body: string
  /** `held` and `lapsed` are claimed in the last hours. */
  steps: { title: string; state: 'done' | 'dropped' | 'held' | 'lapsed' | 'open' }[]
}

/** Steps that are claimed in the last hours, by what becomes of the claim. */
export type Steps = Record<'held' | 'lapsed', TaskAccount[]>

export function composePlans(chapter: Chapter): Steps {
  const claimedLater: Steps = { held: [], lapsed: [] }
  for (const plan of tell<{ composed: Composed[] }>('plans').composed) {
    composePlan(chapter, plan, claimedLater)
  }
  return claimedLater
}

function composePlan(chapter: Chapter, plan: Composed, later: Steps): void {
  const { world } = chapter
  const { slug, project, began, steps, title, description, body } = plan
  const tasks: TaskAccount[] = []
  visitDaysAgo(chapter, began, {
    project,
    client: 'claude-code',
    prompt: `Make a plan: ${title.toLowerCase()}. Steps small enough for one session each.`,
    findings: `Plan ${slug} stands with ${steps.length} steps. Begin with "${steps[0]!.title}".`,
    steps: [
      {
        after: 9,
        run: (agent) => createNote(agent, { title, description, body, tags: ['plan'], plan: slug }),
      },
      ...steps.map((step, i) => ({
        after: 10 + i / 2,
        run: async (agent: Parameters<typeof createNote>[0]) => {
          const dependsOn = i > 0 && slug !== 'egress-bill' ? [tasks[i - 1]!.id] : []
          const task = await addTask(world, agent, { title: step.title, plan: slug, dependsOn })
          tasks.push(task)
          if (step.state === 'held' || step.state === 'lapsed') later[step.state].push(task)
        },
      })),
    ],
  })
  for (const [i, { title, state }] of steps.entries()) {
    if (state !== 'done' && state !== 'dropped') continue
    visitDaysAgo(chapter, began - 1 - i * Math.min(2, (began - 2) / steps.length), {
      project,
      prompt: `Take the next step of plan ${slug}.`,
      findings: `${title}: ${state}. Tests are green, the plan says what is next.`,
      steps: [
        { after: 1, run: (agent) => agent.call('tasks_ready', { plan: slug }) },
        {
          after: 2,
          async run(agent) {
            const held = state === 'done' ? await claimTask(world, agent, tasks[i]!) : undefined
            if (held) await setTask(world, agent, tasks[i]!, 'done', held.token)
            else await setTask(world, agent, tasks[i]!, 'dropped')
          },
        },
      ],
    })
  }
  const isDone = steps.every(({ state }) => state === 'done')
  const isBegun = steps.some(({ state }) => state !== 'open')
  const status = isDone ? 'done' : isBegun ? 'in progress' : 'ready'
  world.ledger.plans.push({ slug, project, kind: 'composed', status })
}
