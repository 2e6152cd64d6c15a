/** What each client can do with Loam, found out by doing it once. */
import { connect } from '../helpers/agent.ts'
import { ONE_OF_EACH } from '../helpers/groups.ts'
import { openBench, type Bench } from './bench.ts'
import type { Conversation, RealClient } from './client.ts'
import { inspect } from './clients/inspector.ts'
import type { Asked, Turn } from './model/model.ts'
import { takeTurns } from './order.ts'

export interface Abilities {
  /** Its agent calls them. */
  tools: boolean
  /** Its calls are known to be its session's, without a word from its agent. */
  session: boolean
  /** Its agent reads one before the first prompt. */
  briefing: boolean
  /** Its agent reads what matches a prompt. */
  prompt: boolean
  /** An agent that its agent sent reads what concerns it. */
  subagents: boolean
  /** A plan that is written down is captured. */
  plans: boolean
  /** It tells that a session has ended. */
  end: boolean
}

/** Words that stand nowhere but in these memories. */
const RULE = { name: 'zebra-crossing', word: 'only-on-stripes' }
const FACT = { name: 'quokka-feeding', word: 'eucalyptus-at-dawn' }
const MARKED = 'ab1-001'
const PLAN = 'The plan of the quokka house'

/** Runs the client through one short session for each of them. */
export async function abilitiesOf(
  client: RealClient,
  log: (line: string) => void,
): Promise<Abilities> {
  const order = takeTurns()
  // Some clients do not wait for those they sent: the last word is held back until then.
  order.add([
    { script: 'sent', turn: 0 },
    { script: 'sending', turn: 1 },
  ])
  const projects = { atlas: 'open' } as const
  await using bench = await openBench({ clients: [client], projects, before: order.before, log })
  await remember(bench, RULE, 'constraint')
  const cwd = await bench.clone('atlas')
  const talk = client.begin(bench.place, { cwd })
  const recall = { calls: [{ tool: 'recall', arguments: { query: `stripes ${MARKED}` } }] }

  const first = await saying(bench, talk, 'begin', [recall])
  // It came after the briefing, so that only the prompt can bring it.
  await remember(bench, FACT, 'reference')
  const second = await saying(bench, talk, 'What is the quokka feeding time?', [])
  const sent = client.subagent ? await sending(bench, talk, client) : []
  await talk.close()

  const plans = client.planFile ? await planning(bench, client, cwd) : false
  const { requests } = bench.recorder
  return {
    tools: requests.some(({ body, status }) => nameOf(body) === 'recall' && status === 200),
    session: await isKnown(bench, client, talk.session()),
    briefing: first.filter(isBeforeCalls).some(holds(RULE.word)),
    prompt: second.some(holds(FACT.word)),
    subagents: sent.some(holds(RULE.word)),
    plans,
    end: requests.some(({ path }) => path.startsWith('/api/hooks/session-end')),
  }
}

/** The inspector has no agent: it calls tools, and that is all. */
export async function abilitiesOfInspector(log: (line: string) => void): Promise<Abilities> {
  await using bench = await openBench({ clients: [], projects: { atlas: 'open' }, log })
  await remember(bench, RULE, 'constraint')
  const answer = await inspect(bench.place, bench.service(), 'recall', {
    query: 'stripes',
    project: 'atlas',
  })
  const none = {
    session: false,
    briefing: false,
    prompt: false,
    subagents: false,
    plans: false,
    end: false,
  }
  return { tools: answer.includes(RULE.name) && (await callsEachGroup(bench)), ...none }
}

async function callsEachGroup(bench: Bench): Promise<boolean> {
  for (const [tool, input] of Object.entries(ONE_OF_EACH)) {
    if (tool.startsWith('trial_') || tool.startsWith('lab_')) continue
    const said = JSON.parse(await inspect(bench.place, bench.service(), tool, input))
    if (said.isError === true) throw new Error(`${tool}: ${JSON.stringify(said).slice(0, 300)}`)
  }
  return true
}

/** Has the client ask this, and answers with what the model was asked meanwhile. */
async function saying(
  { model }: Bench,
  talk: Conversation,
  prompt: string,
  turns: Turn[],
  script = `say-${model.asked.length}`,
): Promise<Asked[]> {
  model.play(script, [...turns, { text: 'So it is.' }])
  const before = model.asked.length
  await talk.ask(`${prompt} [[${script}]]`)
  return model.asked.slice(before)
}

/** What the model of another agent was asked, which this one has sent. */
async function sending(bench: Bench, talk: Conversation, client: RealClient): Promise<Asked[]> {
  bench.model.play('sent', [{ text: 'Found.' }])
  const start = client.subagent!('Look for the zebra. [[sent]]')
  const asked = await saying(bench, talk, 'Send somebody.', [{ calls: [start] }], 'sending')
  const said = (text: string) => (each: Asked) =>
    each.talk.said.some((one) => one.text.includes(text))
  return asked.filter((each) => said('Look for the zebra.')(each) && !said('Send somebody.')(each))
}

/** Whether a plan that the client writes down reaches the service. */
async function planning(bench: Bench, client: RealClient, cwd: string): Promise<boolean> {
  const talk = client.begin(bench.place, { cwd, plans: true })
  const write = (asked: string) => {
    const [path] = client.planFile!.exec(asked) ?? []
    return { file_path: path, content: `# ${PLAN}\n\n1. Build it.\n` }
  }
  await saying(bench, talk, 'Make a plan.', [{ calls: [{ tool: 'Write', arguments: write }] }])
  await talk.close()
  return bench.recorder.requests.some(
    ({ path, body, status }) =>
      path.startsWith('/api/hooks/post-tool-use') &&
      status === 200 &&
      JSON.stringify(body).includes(PLAN),
  )
}

/** Whether the service knows that the call was of this session; it is stopped for it. */
async function isKnown(bench: Bench, { name, model }: RealClient, session: string) {
  const made = {
    mark: MARKED,
    tool: 'recall',
    project: 'atlas',
    client: name,
    session,
    model,
    mayLackModel: true,
  }
  return (await bench.misplaced([made])).wrong.length === 0
}

async function remember(
  bench: Bench,
  { name, word }: typeof RULE,
  kind: 'constraint' | 'reference',
): Promise<void> {
  const { url, key } = bench.service()
  await using owner = await connect({ url, key, name: 'owner' })
  const description = `${name.replace('-', ' ')}: ${word}`
  await owner.call('memory_write', { name, kind, description, body: description, project: 'atlas' })
}

/** What a call answers could say the same. */
const isBeforeCalls = ({ talk }: Asked): boolean =>
  talk.said.every(({ callsAfter }) => callsAfter === 0)

const holds =
  (word: string) =>
  ({ body }: Asked): boolean =>
    JSON.stringify(body).includes(word)

const nameOf = (body: unknown): unknown =>
  (body as { params?: { name?: unknown } } | null)?.params?.name
