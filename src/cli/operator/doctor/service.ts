import { request } from 'undici'
import { readBuild } from '../../../kernel/build.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import { catalog } from '../../../mcp/catalog.ts'
import { bridge } from '../../client/bridge.ts'
import { jsonAnswer } from '../../client/json-answer.ts'
import { type Check, fail, ok, refusal, warn } from './check.ts'
import { type Registered, toolProblem } from './tools.ts'

/** How long the service may take to say which tools it has. */
const PATIENCE_MS = 10_000

/** Whether an agent would get an answer, and the tools it would be offered. */
export async function* checkService(
  url: string,
  {
    key,
    unanswered,
    registered,
  }: {
    /** '' when there is none. */
    key: string
    /** What it means when nothing answers. */
    unanswered: Check
    registered: Registered | undefined
  },
): AsyncGenerator<Check> {
  const health = await request(`${url}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
    async (answer) => {
      const { status } = await jsonAnswer(url, answer).catch(() => ({ status: undefined }))
      return typeof status === 'string' ? status : null
    },
    () => undefined,
  )
  if (health === undefined) {
    yield unanswered
    return
  }
  if (health === null) {
    yield fail('service', `what answers at ${url} is not Loam; check the address`)
    return
  }
  if (health === 'ok') yield ok('service', `answers at ${url}`)
  else yield warn('service', `answers at ${url}: ${health}`)
  if (key !== '') yield await offeredTools(url, key, registered)
}

async function offeredTools(
  url: string,
  key: string,
  registered: Registered | undefined,
): Promise<Check> {
  const offered = await listTools(url, key).catch(refusal)
  if (offered instanceof Refusal) return fail('tools', offered.message)
  const problem = toolProblem(offered, registered)
  if (problem !== null) return fail('tools', problem)
  return ok('tools', `${offered.length} of ${catalog.length} offered`)
}

/** The names of the tools, over the same way that an agent takes. */
async function listTools(url: string, key: string): Promise<string[]> {
  const frames = [
    {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'loam-doctor', version: readBuild().version },
      },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ]
  const answers: { id?: number; result?: { tools?: { name: string }[] } }[] = []
  await bridge({
    client: { url, key: async () => key },
    input: lines(frames.map((frame) => JSON.stringify({ jsonrpc: '2.0', ...frame }))),
    output: (line) => answers.push(JSON.parse(line)),
    patienceMs: PATIENCE_MS,
    settleMs: PATIENCE_MS,
  })
  return answers.find(({ id }) => id === 2)?.result?.tools?.map(({ name }) => name) ?? []
}

async function* lines(all: string[]): AsyncGenerator<string> {
  for (const line of all) yield `${line}\n`
}
