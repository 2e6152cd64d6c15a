/**
 * What a request shows of its caller without a word from the agent: in headers that our bridge and our
 * headers helper send, in what a client itself says of its turn, and beside the arguments, where a
 * client's plugin writes. All of it may be absent or wrong: it tells where the caller works, and its
 * session only when that session was announced by the client's own hook.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type Values } from '../kernel/schema/shape.ts'
import { holdsSecret } from '../text/secrets.ts'

export interface Shown {
  /** The client's name as its hooks say it; '' when it is not known. */
  client: string
  /** The client's own id of the session that makes this very call. */
  session: string
  /** The client's own id of the session with which its process began. */
  began: string
  /** The key of the client's process: 32 hexadecimal digits. */
  process: string
  /** Where the client works. */
  cwd: string
  /** A git remote. */
  repo: string
  repo_root: string
  /** The model of this very call. */
  model: string
}

export const NOTHING_SHOWN: Shown = {
  client: '',
  session: '',
  began: '',
  process: '',
  cwd: '',
  repo: '',
  repo_root: '',
  model: '',
}

/** The argument that a client's plugin adds to a tool's own; it belongs to no schema. */
const BESIDE = '_loam'

/** Characters of one value at most: none that is real is longer. */
const LONGEST = 4_096

/** What the headers show. They are the same for every request of a connection. */
export function shownByHeaders(headers: IncomingHttpHeaders): Shown {
  const said = (name: string): string => plain(decoded(headers[`loam-${name}`]))
  const process = said('process')
  return {
    client: said('client'),
    session: '',
    began: said('session'),
    process: /^[0-9a-f]{32}$/.test(process) ? process : '',
    cwd: said('directory'),
    repo: said('repo'),
    repo_root: said('root'),
    model: '',
  }
}

/** What a message shows in addition; what it says of its own call goes before the headers. */
export function shownByMessage(shown: Shown, params: unknown): Shown {
  if (!isObject(params)) return shown
  const { _meta: meta, arguments: sent } = params
  const all = { ...shown }
  if (isObject(meta)) fill(all, ofCodex(meta, shown.cwd !== ''))
  if (isObject(sent) && isObject(sent[BESIDE])) fill(all, ofPlugin(sent[BESIDE]))
  return all
}

/** The arguments as the agent gave them. */
export function withoutShown(sent: unknown): unknown {
  if (!isObject(sent) || !(BESIDE in sent)) return sent
  const { [BESIDE]: _, ...own } = sent
  return own
}

function fill(all: Shown, told: Partial<Shown>): void {
  for (const [name, value] of Object.entries(told))
    if (value !== '') all[name as keyof Shown] = value
}

const ofPlugin = ({ client, session, model }: Values): Partial<Shown> => ({
  client: plain(client),
  session: plain(session),
  model: modelNamed(model),
})

const CODEX_TURN = 'x-codex-turn-metadata'

/**
 * Codex tells of every turn which thread, model and checkouts it has. Where the headers tell the place,
 * that one counts: a turn may have several checkouts.
 */
function ofCodex(meta: Values, isPlaced: boolean): Partial<Shown> {
  const turn = meta[CODEX_TURN]
  const told = typeof turn === 'string' ? parsed(turn) : turn
  if (!isObject(told)) return {}
  const [[cwd, checkout] = []] = isObject(told['workspaces'])
    ? Object.entries(told['workspaces'])
    : []
  const remotes = isObject(checkout) ? checkout['associated_remote_urls'] : undefined
  const [remote] = isObject(remotes) ? [remotes['origin'] ?? Object.values(remotes)[0]] : []
  return {
    client: 'codex',
    session: plain(told['session_id']) || plain(meta['sessionId']),
    model: modelNamed(told['model']),
    ...(!isPlaced && { cwd: plain(cwd), repo: plain(remote) }),
  }
}

const plain = (value: unknown): string =>
  typeof value === 'string' && value.length <= LONGEST && !/[\0-\x1f\x7f]/.test(value)
    ? value.trim().toWellFormed()
    : ''

/** What is written is stamped with it, so what looks like a credential is no model's name. */
function modelNamed(value: unknown): string {
  const name = plain(value)
  return holdsSecret(name) ? '' : name
}

function decoded(value: string | string[] | undefined): string {
  const text = String(value ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The name by which a client's hooks go, from what it calls itself in a handshake; '' when it has none. */
export function hookClientOf(said: string): string {
  const name = said.toLowerCase()
  return CALLED.find(([pattern]) => pattern.test(name))?.[1] ?? ''
}

const CALLED: readonly (readonly [RegExp, string])[] = [
  [/^claude-code/, 'claude-code'],
  [/^codex/, 'codex'],
  [/^opencode/, 'opencode'],
  [/^gemini-cli/, 'gemini'],
  [/^qwen/, 'qwen'],
  [/^cursor/, 'cursor'],
  [/^visual studio code|^vscode/, 'vscode'],
]
