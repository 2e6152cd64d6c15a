/**
 * One agent of the demo, as its client brings it to the service: hooks and calls of tools by the very
 * routes that real clients use, without a socket. It writes into the ledger what it did and was told.
 */
import type { FastifyInstance } from 'fastify'
import { counted, dayOf, type Ledger, type SessionAccount } from './ledger.ts'

/** The world in which agents work. */
export interface World {
  app: FastifyInstance
  key: string
  ledger: Ledger
  now(): Date
  /** Resolves when what happened so far is in the log. */
  settled(): Promise<void>
  /** Ends what has been silent for too long, as the service does each minute. */
  expireSilent(): Promise<unknown>
  /** The id and the handle of a client's session. */
  identify(client: string, external: string): Promise<{ id: string; name: string }>
}

export interface AgentOf {
  client: string
  model: string
  project: string
  cwd: string
  /** The client's own id of its session. */
  external: string
  /** The key of the client's process. */
  process: string
}

export type Answer = Record<string, any>

/** What a client calls itself in a handshake. */
const CALLED: Record<string, string> = {
  'claude-code': 'claude-code',
  codex: 'codex-mcp-client',
  opencode: 'opencode',
  gemini: 'gemini-cli-mcp-client',
  qwen: 'qwen-code',
  cursor: 'cursor-vscode',
  vscode: 'Visual Studio Code',
}

export class DemoAgent {
  readonly of: AgentOf
  readonly account: SessionAccount
  readonly #world: World
  #connection = ''
  #calls = 0

  constructor(world: World, of: AgentOf) {
    this.#world = world
    this.of = of
    const at = world.now().toISOString()
    this.account = {
      key: of.external,
      name: '',
      id: '',
      project: of.project,
      client: of.client,
      model: of.model,
      ambient: true,
      status: 'active',
      started: at,
      lastHeard: at,
      ended: null,
      calls: {},
      failed: 0,
      prompts: 0,
      memoryReads: 0,
      noteReads: 0,
      memoryWrites: 0,
      noteWrites: 0,
      trials: 0,
      misses: 0,
      injections: 0,
      itemsShown: 0,
      mishaps: 0,
      findings: false,
      tokens: null,
    }
  }

  /** Its client announces the session, and it is briefed. */
  async begin(source = 'startup'): Promise<void> {
    await this.hook('session-start', { source })
    if (this.account.id === '') {
      Object.assign(this.account, await this.#world.identify(this.of.client, this.of.external))
      this.#enter()
    }
    this.account.status = 'active'
    this.account.ended = null
  }

  /** It begins by itself, without a hook, and is briefed in the answer. */
  async beginByName(name: string): Promise<void> {
    const { project, cwd, model } = this.of
    Object.assign(this.account, { key: name, ambient: false })
    const { session_id: id, briefing } = await this.call('session_start', {
      name,
      project,
      cwd,
      model,
    })
    Object.assign(this.account, { id, name })
    if (isRecorded(briefing)) this.#told(itemsIn(briefing))
    this.#enter()
  }

  #enter(): void {
    const { ledger, now } = this.#world
    ledger.sessions.push(this.account)
    dayOf(ledger, now()).sessions++
  }

  async prompt(prompt: string): Promise<void> {
    this.account.prompts++
    await this.hook('user-prompt-submit', { prompt })
  }

  /** Calls a hook as the client does; returns what its agent is told. */
  async hook(name: string, payload: object): Promise<string> {
    const { client, external: session_id, cwd, model, process } = this.of
    const answer = await this.#world.app.inject({
      method: 'POST',
      url: `/api/hooks/${name}?client=${client}`,
      headers: {
        authorization: `Bearer ${this.#world.key}`,
        'content-type': 'application/json',
      },
      payload: JSON.stringify({ session_id, cwd, model, process, ...payload }),
    })
    if (answer.statusCode !== 200)
      throw new Error(`${name}: ${answer.statusCode} ${answer.payload}`)
    const { hookSpecificOutput } = answer.json<Answer>()
    const context = String(hookSpecificOutput?.additionalContext ?? '')
    if (isRecorded(context)) this.#told(itemsIn(context))
    // The last words of a turn are kept as findings until there are better ones.
    const { last_assistant_message: words } = payload as { last_assistant_message?: string }
    if (name === 'stop' && words) this.account.findings = true
    this.#heard()
    await this.#world.settled()
    return context
  }

  /** Calls a tool that must work. */
  async call(tool: string, args: object = {}): Promise<Answer> {
    const answer = await this.try(tool, args)
    if ('refused' in answer) throw new Error(`${this.of.external}: ${answer['refused']}`)
    return answer
  }

  /** Calls a tool that may be refused: then `refused` says why. */
  async try(tool: string, args: object = {}): Promise<Answer> {
    const { ledger, now } = this.#world
    if (this.#connection === '') await this.#connect()
    const { result } = await this.#post('tools/call', { name: tool, arguments: args })
    const { isError, content, structuredContent } = result as Answer
    counted(this.account.calls, tool)
    dayOf(ledger, now()).calls++
    this.#heard()
    await this.#world.settled()
    if (!isError) return (structuredContent ?? JSON.parse(content[0].text)) as Answer
    const refused = String(content[0].text)
    this.account.failed++
    const { key: session } = this.account
    ledger.failures.push({ at: now().toISOString(), session, tool, error: refused })
    return { refused }
  }

  /** Ends with findings of its own. */
  async handOver(
    findings: string,
    more: { mishaps?: string[]; tokens?: object } = {},
  ): Promise<void> {
    await this.call('session_end', { findings, ...more })
    const { ledger, now } = this.#world
    for (const description of more.mishaps ?? []) {
      this.account.mishaps++
      const { key: session, project } = this.account
      ledger.mishaps.push({ at: now().toISOString(), session, project, description })
    }
    this.#ended('completed', findings, more.tokens)
  }

  /** Its client ends, and says its last words. */
  async close(lastWords: string, tokens?: object): Promise<void> {
    await this.hook('session-end', { reason: 'exit', findings: lastWords, tokens })
    this.#ended('completed', lastWords, tokens)
  }

  /** Nothing was heard of it for too long. */
  async expire(): Promise<void> {
    await this.#world.expireSilent()
    const heard = this.account.lastHeard
    this.#ended('expired', '', undefined)
    this.account.lastHeard = heard
  }

  #ended(status: 'completed' | 'expired', findings: string, tokens: object | undefined): void {
    this.account.status = status
    this.account.ended = this.#world.now().toISOString()
    this.account.findings ||= findings !== ''
    if (tokens) this.account.tokens = { ...tokens }
    for (const task of this.#world.ledger.tasks) {
      if (task.holder !== this.account.key) continue
      Object.assign(task, { status: 'open', holder: null, leaseUntil: null })
    }
  }

  /** Enters something that it made. */
  keep(
    where: 'memories' | 'notes',
    item: { id: string; name: string; kind: string },
    elsewhere?: 'global',
  ): void {
    const at = this.#world.now().toISOString()
    const project = elsewhere ? '' : this.account.project
    const state = { project, status: 'active', starred: false, created: at, updated: at }
    this.#world.ledger[where].push({ ...item, ...state })
  }

  /** A question of it was answered with so many hits. */
  wasAnswered(query: string, hits: number): void {
    const { ledger, now } = this.#world
    if (hits > 0) return this.#told(hits)
    this.account.misses++
    ledger.misses.push({ at: now().toISOString(), session: this.account.key, query })
  }

  #told(items: number): void {
    const day = dayOf(this.#world.ledger, this.#world.now())
    this.account.injections++
    this.account.itemsShown += items
    day.injections++
    day.items += items
  }

  #heard(): void {
    this.account.lastHeard = this.#world.now().toISOString()
  }

  async #connect(): Promise<void> {
    const clientInfo = { name: CALLED[this.of.client] ?? this.of.client, version: '1.0.0' }
    await this.#post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  }

  async #post(method: string, params: object): Promise<Answer> {
    const { client, cwd, process, external } = this.of
    const answer = await this.#world.app.inject({
      method: 'POST',
      url: '/api/mcp',
      headers: {
        authorization: `Bearer ${this.#world.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(this.#connection && { 'mcp-session-id': this.#connection }),
        'loam-client': client,
        'loam-directory': encodeURIComponent(cwd),
        'loam-process': process,
        'loam-session': encodeURIComponent(external),
      },
      payload: JSON.stringify({ jsonrpc: '2.0', id: ++this.#calls, method, params }),
    })
    const id = answer.headers['mcp-session-id']
    if (typeof id === 'string') this.#connection = id
    const body = answer.json<Answer>()
    if (answer.statusCode !== 200 || body['error']) {
      throw new Error(`${method}: ${answer.statusCode} ${answer.payload}`)
    }
    return body
  }
}

const KINDS = 'constraint|convention|runbook|protocol|gotcha|decision|refuted|reference|stage'
const ENTRY = new RegExp(`^- \\S+ (?:\\[[^\\]]*\\] )?\\((?:${KINDS}), `)
/** As a plan’s context names what is known about it. */
const RELATED = /^- .* \((?:memory_read name|notes_read id)=\S+(?: project=\S+)?\)$/
const REST = /^- \d+ more in force, read those that touch your work: (.*)$/

/** How many memories a context block tells of. */
function itemsIn(context: string): number {
  const lines = context.split('\n')
  const rest = lines.flatMap((line) => REST.exec(line)?.[1]?.split(', ') ?? [])
  return lines.filter((line) => ENTRY.test(line) || RELATED.test(line)).length + rest.length
}

/** Whether a context block tells anything: one of a place where nothing is known yet is not recorded. */
const isRecorded = (context: string): boolean =>
  itemsIn(context) > 0 || /^# Loam briefing for (?!.*nothing is known yet$)/m.test(context)
