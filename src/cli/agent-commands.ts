/** What an agent does through its tools, for people and scripts: one short command each. */
import { request } from 'undici'
import { loadClient } from '../config/client.ts'
import { Refusal, unavailable } from '../kernel/refusal.ts'
import { repositoryOf } from './hook/repository.ts'
import { openTools } from './mcp-client.ts'

export interface Asked {
  config?: string
}

/** Calls one tool and answers what it says. Options that were not given are not sent. */
export async function callTool(
  { config: file }: Asked,
  tool: string,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  await using tools = await openTools(await loadClient({ file }))
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  // Awaited here: at the end of this function the connection ends.
  return await tools.call(tool, Object.fromEntries(given))
}

/** Starts a session here; the briefing goes to standard output, who it is to standard error. */
export async function prime(options: Asked & { cwd?: string; name?: string }): Promise<void> {
  const cwd = options.cwd ?? process.cwd()
  const { repo, repo_root } = (await repositoryOf(cwd)) ?? {}
  const { name } = options
  const input = { cwd, repo, repo_root, name, source: 'explicit' }
  const session = await callTool(options, 'session_start', input)
  console.error(`session ${session['name']} (${session['session_id']}): ${session['scope']}`)
  if (session['briefing'] !== '') console.log(session['briefing'])
}

interface Memory extends Asked {
  name: string
  kind: string
  description: string
  body?: string
  project?: string
}

/** Writes a memory; its body comes from standard input when it is not given. */
export async function remember({ config, ...memory }: Memory): Promise<void> {
  const body = memory.body ?? (await readAll(process.stdin))
  const written = await callTool({ ...(config && { config }) }, 'memory_write', { ...memory, body })
  const where = written['project'] === '' ? 'global' : written['project']
  console.log(`${written['updated'] ? 'rewritten' : 'written'}: ${written['name']} in ${where}`)
  const similar = written['similar'] as { name: string; score: number } | undefined
  if (similar)
    console.log(`much like ${similar.name} (${similar.score.toFixed(2)}): one of them may do`)
  for (const hint of ['stage_hint', 'secret_hint']) if (written[hint]) console.log(written[hint])
}

interface Hit {
  kind: string
  name: string
  id: string
  title: string
  description: string
  project?: string
  age: string
}

export async function recall(
  words: string[],
  options: Asked & { scope?: string; project?: string; limit?: string },
): Promise<void> {
  const { scope, project, limit } = options
  const input = { query: words.join(' '), scope, project, limit }
  const { hits, evidence, degraded } = await callTool(options, 'recall', input)
  for (const { kind, name, title, description, project, age, id } of hits as Hit[]) {
    console.log(`${kind} ${name || id}${project ? ` (${project})` : ''}, ${age}`)
    console.log(`  ${title === name ? '' : `${title}: `}${description}`)
  }
  console.error(`${(hits as Hit[]).length} hits, evidence ${evidence}`)
  if (degraded) console.error(`by words only: ${degraded}`)
}

export async function capture(url: string, options: Asked & { project?: string }): Promise<void> {
  const { project } = options
  const note = await callTool(options, 'capture_url', { url, project })
  console.log(`${note['slug']}: ${note['title']}`)
}

/** Sets a star, or takes it away. */
export async function fav(
  kind: string,
  id: string,
  options: Asked & { off?: boolean; project?: string },
): Promise<void> {
  const { off, project } = options
  const input = { kind, id, favorite: !off, project }
  const starred = await callTool(options, 'favorite_set', input)
  console.log(`${starred['favorite'] ? 'starred' : 'not starred'}: ${kind} ${id}`)
}

interface Usage {
  memories: { active: number; byKind: Record<string, number> }
  notes: number
  sessions: Record<string, number>
  tasks: Record<string, number>
  retrieval: {
    injections: number
    reads: number
    topInjected: { name: string; count: number }[]
    topUtility: { name: string; score: number }[]
    funnelBySurface: { surface: string; injections: number; items: number; readRate: number }[]
  }
  gardenerPending: Record<string, number>
  eventsByKind: Record<string, number>
}

/** What is kept and what becomes of it, a line each. */
export async function usage(options: Asked): Promise<void> {
  const answer = (await callTool(options, 'usage_summary', {})) as unknown as Usage
  const { memories, notes, sessions, tasks, retrieval, gardenerPending, eventsByKind } = answer
  const listed = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name.replace('_', ' ')}`)
      .join(', ') || 'none'
  console.log(`memories: ${memories.active} active${colon(listed(memories.byKind))}`)
  console.log(`notes: ${notes}`)
  console.log(`sessions: ${listed(sessions)}`)
  console.log(`tasks: ${listed(tasks)}`)
  console.log(`put before agents: ${retrieval.injections} items; read: ${retrieval.reads}`)
  for (const { surface, injections, items, readRate } of retrieval.funnelBySurface) {
    console.log(`  by ${surface}: ${injections}, of ${items} items; ${readRate} % were then read`)
  }
  for (const { name, count } of retrieval.topInjected)
    console.log(`  ${name}: shown ${count} times`)
  for (const { name, score } of retrieval.topUtility) console.log(`  ${name}: utility ${score}`)
  console.log(`proposals: ${listed(gardenerPending)}`)
  console.log(`events: ${listed(eventsByKind)}`)
}

const colon = (text: string): string => (text === 'none' ? '' : `: ${text}`)

interface Session {
  id: string
  name: string
  project: string
  status: string
  live?: boolean
  findings?: string
  updated: string
}

/** The sessions of late, or one of them in full. */
export async function sessions(
  id: string | undefined,
  options: Asked & { status?: string },
): Promise<void> {
  const path =
    id === undefined ? '/console/sessions' : `/console/sessions/${encodeURIComponent(id)}`
  const query = new URLSearchParams({
    format: 'json',
    ...(options.status && { status: options.status }),
  })
  const answer = await askConsole(options, `${path}?${query}`)
  if (id !== undefined) {
    console.log(JSON.stringify(answer, null, 2))
    return
  }
  for (const { id, name, project, status, updated } of answer['sessions'] as Session[]) {
    console.log(`${id}  ${status.padEnd(9)}  ${updated}  ${name}  ${project || 'global'}`)
  }
}

/** Whether the service is well and what it serves; fails when it does not. */
export async function status(options: Asked): Promise<void> {
  const client = await loadClient({ file: options.config })
  const answer = await request(`${client.url}/healthz`).catch((error: NodeJS.ErrnoException) => {
    throw unavailable(`${client.url}: the service cannot be reached (${error.code ?? 'unknown'})`)
  })
  const health = (await answer.body.json()) as { status: string; version: string; commit?: string }
  const { projects } = await callTool(options, 'project_list', {})
  console.log(`${client.url}: ${health.status}, Loam ${health.version}`)
  console.log(`${(projects as unknown[]).length} projects`)
  if (answer.statusCode !== 200) throw unavailable('the service is not well; see "loam doctor"')
}

/** What the console answers the owner, whose key this is. Refuses with its own words. */
export async function askConsole(
  options: Asked,
  path: string,
  method: 'GET' | 'POST' = 'GET',
): Promise<Record<string, unknown>> {
  const client = await loadClient({ file: options.config })
  const headers = { authorization: `Bearer ${await client.key()}`, accept: 'application/json' }
  const answer = await request(`${client.url}${path}`, { method, headers }).catch(
    (error: NodeJS.ErrnoException) => {
      throw unavailable(`${client.url}: the service cannot be reached (${error.code ?? 'unknown'})`)
    },
  )
  const body = (await answer.body.json()) as Record<string, unknown>
  if (answer.statusCode === 200) return body
  throw new Refusal(
    'not_found',
    String(body['error'] ?? `the service answered ${answer.statusCode}`),
  )
}

async function readAll(input: AsyncIterable<Buffer | string>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of input) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString('utf8')
}
