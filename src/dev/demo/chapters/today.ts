/**
 * The last two hours: who works on what as the story ends, who fell silent, and what asks for a person.
 * Times are minutes before the end.
 */
import type { DemoAgent } from '../agent.ts'
import { MINUTE } from '../timeline.ts'
import { planVisit, type Step, type Visit } from '../visit.ts'
import { readHit, recall, writeMemory } from '../writing.ts'
import { visitDaysAgo, type Chapter } from './chapter.ts'
import { errands } from './errands.ts'
import type { Steps } from './plans.ts'
import { addTask, claimTask, type Held } from './tasks.ts'

type Live = Omit<Visit, 'at' | 'ending' | 'minutes'> & { begun: number; ending?: Visit['ending'] }

export function lastHours(chapter: Chapter, steps: Steps): void {
  const live = ({ begun, ...visit }: Live): void => {
    const { world, random, timeline, now } = chapter
    const at = now - begun * MINUTE
    planVisit(world, random, timeline, {
      ...{ ending: 'goes on', isCounted: false },
      ...visit,
      at,
      minutes: begun - 0.5,
    })
  }
  withSubagent(chapter, live)
  leaseNearItsEnd(chapter, live, steps)
  silentHolders(chapter, live, steps)
  quietOnes(live)
  failedCalls(live)
  withoutHooks(chapter)
}

type Begin = (visit: Live) => void

/** Busy, with a subagent at work and a claim that it renews. */
function withSubagent({ world }: Chapter, live: Begin): void {
  let held: Held | undefined
  const title = 'Drop the old route keys after the release'
  live({
    project: 'atlas',
    client: 'claude-code',
    begun: 65,
    prompt:
      'The release is out. Drop the old route keys, in small portions, and watch the p95 while you do.',
    steps: [
      { after: 2, run: (agent) => recall(agent, 'route cache keys of closed depots') },
      {
        after: 5,
        async run(agent) {
          const task = await addTask(world, agent, { title, body: 'A thousand a second at most.' })
          held = await claimTask(world, agent, task, { minutes: 30, paths: ['src/routes/**'] })
        },
      },
      {
        after: 20,
        run: (agent) =>
          agent.hook('subagent-start', {
            agent_id: 'a91c77e0d2',
            agent_type: 'Explore',
            spawn_prompt: 'Which code still reads route keys without the version of the depot?',
          }),
      },
      { after: 31, run: (agent) => claimTask(world, agent, held!.task, { minutes: 30 }) },
      { after: 40, run: (agent) => agent.prompt('How many are left, and is the p95 still fine?') },
      { after: 52, run: (agent) => agent.call('tasks_list', { status: 'in_progress' }) },
      { after: 62, run: (agent) => claimTask(world, agent, held!.task, { minutes: 30 }) },
    ],
  })
  live({
    project: 'ledger',
    client: 'claude-code',
    begun: 33,
    prompt:
      'Reverse the four entries of September, one at a time, and show me the trial balance after each.',
    steps: [
      { after: 1, run: (agent) => recall(agent, 'reverse an entry') },
      {
        after: 12,
        run: (agent) => agent.prompt('The second one has another reason; see the ticket.'),
      },
      { after: 30, run: (agent) => agent.call('tasks_ready') },
    ],
  })
}

/** Its claim lapses soon unless it is renewed. */
function leaseNearItsEnd({ world }: Chapter, live: Begin, steps: Steps): void {
  live({
    project: 'mobile-app',
    client: 'codex',
    begun: 38,
    prompt: 'Move the files of phones that update into the queue. Phones in the drawer first.',
    steps: [
      { after: 1, run: (agent) => recall(agent, 'signatures offline queue') },
      {
        after: 27,
        async run(agent) {
          for (const task of steps.held) await claimTask(world, agent, task, { minutes: 15 })
        },
      },
    ],
  })
  live({
    project: 'billing',
    client: 'opencode',
    begun: 21,
    prompt:
      'Finance asks why the statement of customer 4471 has two lines for one parcel. Look, do not fix.',
    steps: [
      { after: 1, run: (agent) => recall(agent, 'monthly statement two lines one parcel') },
      {
        after: 9,
        run: (agent) =>
          writeMemory(agent, {
            name: 'statement-lines-per-drop',
            kind: 'gotcha',
            description:
              'A statement has a line for each drop and not for each parcel: a return is two lines',
            body: 'Customer 4471 asked. The PDF says "drop" in its third column, which nobody reads.',
          }),
      },
      { after: 18, run: (agent) => agent.prompt('Write them a sentence that they understand.') },
    ],
  })
}

/** One holds a running lease and says nothing; the lease of another has run out. */
function silentHolders({ world }: Chapter, live: Begin, steps: Steps): void {
  live({
    project: 'infra',
    client: 'claude-code',
    begun: 58,
    prompt:
      'Upgrade the next two nodes of central-1; stop and ask when one takes longer than ten minutes.',
    steps: [
      {
        after: 3,
        async run(agent) {
          const title = 'Upgrade nodes 15 and 16 of central-1'
          const task = await addTask(world, agent, { title })
          await claimTask(world, agent, task, { minutes: 120 })
        },
      },
      { after: 31, run: (agent) => recall(agent, 'node replacement huge pages') },
    ],
  })
  live({
    project: 'atlas-web',
    client: 'gemini',
    begun: 84,
    prompt: 'Announce new rows to screen readers, once a minute at most.',
    steps: [
      {
        after: 4,
        async run(agent) {
          for (const task of steps.lapsed) await claimTask(world, agent, task, { minutes: 15 })
        },
      },
      { after: 26, run: (agent) => recall(agent, 'new rows on the board') },
    ],
  })
}

/** Idle by silence, and resting after a turn. */
function quietOnes(live: Begin): void {
  live({
    project: 'data-warehouse',
    client: 'qwen',
    begun: 80,
    prompt: 'Build October again, one model after the other, and compare with the frozen one.',
    steps: [{ after: 20, run: (agent) => recall(agent, 'rebuild a month') }],
  })
  live({
    project: 'docs',
    client: 'claude-code',
    begun: 50,
    prompt: 'The reference of the three partner endpoints is empty. Find out why.',
    steps: [
      { after: 2, run: (agent) => recall(agent, 'API reference is generated') },
      {
        after: 22,
        run: (agent) =>
          agent.hook('stop', {
            tokens: { input: 18_420, cached: 201_900, output: 6_118 },
            last_assistant_message:
              'The three endpoints have no schema; the generator leaves them out. I can add it.',
          }),
      },
    ],
  })
}

/** One tool fails three times in two sessions within the hour, and one of them ends with a mishap. */
function failedCalls(live: Begin): void {
  const wrong = { name: 'deploy-windows' }
  const fail = (after: number): Step => ({ after, run: (agent) => agent.try('memory_read', wrong) })
  live({
    project: 'atlas',
    client: 'vscode',
    begun: 55,
    ending: 'handed over',
    prompt: 'May I release on a Friday?',
    findings:
      'Fridays are outside the window. The memory is called deploy-window, not deploy-windows.',
    mishaps: [errands.mishaps[0]!],
    steps: [fail(5), fail(6)],
  })
  live({
    project: 'atlas',
    client: 'claude-code',
    begun: 17,
    prompt: 'Prepare the release of Monday: what is in it, who watches what, until when.',
    steps: [
      fail(3),
      { after: 4, run: readFound('deploy window') },
      { after: 11, run: (agent) => agent.call('tasks_ready') },
      { after: 15, run: (agent) => recall(agent, 'release handover') },
    ],
  })
}

const readFound =
  (query: string) =>
  async (agent: DemoAgent): Promise<void> =>
    readHit(agent, await recall(agent, query))

/** A client of which no hook was heard for days works all the same: it calls tools by itself. */
function withoutHooks(chapter: Chapter): void {
  const { world, now } = chapter
  visitDaysAgo(chapter, 0, {
    project: 'infra',
    client: 'cursor',
    at: now - 29 * MINUTE,
    minutes: 28,
    ending: 'goes on',
    isCounted: false,
    name: 'night-shift-dashboards',
    prompt: '',
    steps: [
      { after: 1, run: (agent) => recall(agent, 'dashboards and boards') },
      {
        after: 14,
        async run(agent) {
          await addTask(world, agent, { title: 'One board for the night shift' })
        },
      },
      {
        after: 26,
        run: (agent) => agent.call('notes_read', { slug: 'cost-of-the-month-october' }),
      },
    ],
  })
}
