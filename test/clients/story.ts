/**
 * The story of a fleet: several clients at work at once, in several projects, and none of them ever says
 * whose call it is. Every call has to land in the right project, with the right session and model.
 */
import type { Isolation } from '../../src/projects/projects.ts'
import { openBench, type Bench } from './bench.ts'
import type { Conversation, RealClient } from './client.ts'
import { claudeCode } from './clients/claude-code.ts'
import { codex } from './clients/codex.ts'
import { opencode } from './clients/opencode.ts'
import type { Judged, Made } from './landing.ts'
import type { ScriptedCall, Turn } from './model/model.ts'
import { takeTurns, type Order } from './order.ts'
import type { Recorded } from './recorder.ts'

/** A project that is closed to others, and an open one beside it. */
const OPEN = 'atlas'

export interface Story extends Judged {
  folder: string
  projects: Record<string, Isolation>
  made: Made[]
  requests: Recorded[]
}

/** One agent of the fleet: where it works, and what it has done. */
interface Member {
  name: string
  client: RealClient
  project: string
  cwd: string
  talk: Conversation
  made: number
}

interface Wishes {
  /** The project in which some of the fleet work. */
  closed: { slug: string; isolation: Isolation }
  /** Calls of each of the five agents while all work at once. */
  calls: number
  log: (line: string) => void
}

export async function tellStory({ closed, calls, log }: Wishes): Promise<Story> {
  const order = takeTurns()
  const projects = { [OPEN]: 'open', [closed.slug]: closed.isolation } as const
  await using bench = await openBench({
    clients: [claudeCode, codex, opencode],
    projects,
    before: order.before,
    log,
  })
  const fleet = await begin(bench, closed)
  const made: Made[] = []
  const round = new Round(bench, order, made)

  await round.all(fleet, calls / 2)
  await round.all(fleet, calls / 2)
  log(`${made.length} interleaved calls`)

  round.interrupt(() => bench.restart())
  await round.all(fleet, 6)
  log(`${made.length} calls, with the service killed in the middle of the last`)

  await afterwards(fleet, round, bench)
  log(`${made.length} calls, after /clear, a resume, a fork and with subagents`)

  for (const { talk } of fleet) await talk.close()
  const { folder, recorder } = bench
  const { requests } = recorder
  return { folder, projects, made, requests, ...(await bench.misplaced(made)) }
}

/** Two Claude Codes in two clones, a third in a worktree of the first, and the others beside them. */
async function begin(bench: Bench, { slug }: Wishes['closed']): Promise<Member[]> {
  const [open, closed] = [await bench.clone(OPEN), await bench.clone(slug)]
  const places: [string, RealClient, string, string][] = [
    ['cc1', claudeCode, OPEN, open],
    ['cc2', claudeCode, slug, closed],
    ['cc3', claudeCode, OPEN, await bench.worktree(open)],
    ['cx1', codex, OPEN, open],
    ['oc1', opencode, slug, closed],
  ]
  return places.map(([name, client, project, cwd]) => {
    const talk = client.begin(bench.place, { cwd })
    return { name, client, project, cwd, talk, made: 0 }
  })
}

/** What a client's user does beside asking: begin anew, take up again, go on in a copy, send others. */
async function afterwards([cc1, cc2, cc3, cx1, oc1]: Member[], round: Round, bench: Bench) {
  await cc1!.talk.ask('/clear')
  const resumed = cc2!.talk.session()
  await cc2!.talk.close()
  cc2!.talk = claudeCode.begin(bench.place, { cwd: cc2!.cwd, resume: resumed })
  const copied = cc3!.talk.session()
  await cc3!.talk.close()
  cc3!.talk = claudeCode.begin(bench.place, { cwd: cc3!.cwd, resume: copied, fork: true })
  await round.all([cc1!, cc2!, cc3!, cx1!, oc1!], 4)
  await round.subagents([cc1!, cx1!, oc1!], 3)
}

/** Lets agents work at the same time, and keeps what they made. */
class Round {
  readonly #bench: Bench
  readonly #order: Order
  readonly #made: Made[]
  #scripts = 0
  #interruption: (() => Promise<void>) | undefined

  constructor(bench: Bench, order: Order, made: Made[]) {
    this.#bench = bench
    this.#order = order
    this.#made = made
  }

  /** In the middle of the next round. */
  interrupt(work: () => Promise<void>): void {
    this.#interruption = work
  }

  /** Each makes so many calls, one after the other in turn. */
  async all(members: readonly Member[], calls: number): Promise<void> {
    const parts = members.map((member) => {
      const scripted = callsOf(member, calls)
      return { member, scripted, script: this.#play(member, scripted.map(inTurn)) }
    })
    const turnsOf = (turn: number) => parts.map(({ script }) => ({ script, turn }))
    for (let turn = 0; turn < calls; turn++) this.#order.add(turnsOf(turn))
    if (this.#interruption) this.#order.interrupt(turnsOf(calls / 2), this.#interruption)
    this.#interruption = undefined
    await Promise.all(parts.map((part) => this.#ask(part)))
  }

  /** Each sends another agent, which makes so many calls; they are its own session's. */
  async subagents(members: readonly Member[], calls: number): Promise<void> {
    for (const member of members) {
      const scripted = callsOf(member, calls)
      const sent = this.#play(member, scripted.map(inTurn))
      const start = member.client.subagent!(`Look for it. [[${sent}]]`)
      const script = this.#play(member, [{ calls: [start] }])
      // Some clients do not wait for those they sent: the last word is held back until then.
      const turns = Array.from({ length: calls + 1 }, (_, turn) => ({ script: sent, turn }))
      this.#order.add([...turns, { script, turn: 1 }])
      await this.#ask({ member, scripted, script })
    }
  }

  #play({ name }: Member, turns: Turn[]): string {
    const script = `${name}-${++this.#scripts}`
    this.#bench.model.play(script, [...turns, { text: `Done with ${script}.` }])
    return script
  }

  async #ask({ member, scripted, script }: Part): Promise<void> {
    const { client, project, talk } = member
    try {
      const said = await talk.ask(`Please do it. [[${script}]]`)
      if (!said.includes(`Done with ${script}.`)) throw new Error(`${script} ended with: ${said}`)
    } catch (error) {
      this.#order.fail(error as Error)
      throw error
    }
    const session = talk.session()
    const { name, model } = client
    for (const { mark, tool } of scripted) {
      this.#made.push({ mark, tool, project, client: name, session, model })
    }
  }
}

interface Part {
  member: Member
  scripted: (ScriptedCall & { mark: string })[]
  script: string
}

const inTurn = ({ tool, arguments: input }: ScriptedCall): Turn => ({
  calls: [{ tool, arguments: input }],
})

/** The next calls of an agent, each with a mark of its own. */
function callsOf(member: Member, calls: number): Part['scripted'] {
  return Array.from({ length: calls }, () => {
    const mark = `${member.name}-${String(++member.made).padStart(3, '0')}`
    const kinds: ScriptedCall[] = [
      { tool: 'notes_create', arguments: { title: mark, body: `A note of ${mark}.` } },
      {
        tool: 'memory_write',
        arguments: { name: mark, kind: 'reference', description: mark, body: `About ${mark}.` },
      },
      { tool: 'tasks_add', arguments: { title: mark } },
      { tool: 'recall', arguments: { query: `what is known of ${mark}` } },
    ]
    return { mark, ...kinds[member.made % kinds.length]! }
  })
}
