/** Whose request it is: headers for the tools' endpoint that say where the client works and which one it is. */
import { repositoryOf } from '../agent/hook/repository.ts'
import type { Client } from '../../config/client.ts'
import type { Environment } from '../../config.ts'
import { clientProcess, directoryOf } from './process-key.ts'

export interface Identity {
  /** As `--client` says it: claude-code, codex, … */
  client?: string | undefined
  /** Where the client works; without it, where its process does. */
  cwd?: string
  env: Environment
}

/** Variables that hold a client's own id of the session. */
const SESSIONS: Record<string, string> = {
  'claude-code': 'CLAUDE_CODE_SESSION_ID',
  codex: 'CODEX_THREAD_ID',
  gemini: 'GEMINI_SESSION_ID',
  qwen: 'QWEN_CODE_SESSION_ID',
}

/**
 * Prints the headers of a client as one line of JSON, the key among them. Clients run this in a folder of
 * their settings, so only their process tells where they work.
 */
export async function printHeaders(
  name: string,
  call: { env: Environment; client(): Promise<Client>; say(line: string): void },
): Promise<void> {
  const authorization = { Authorization: `Bearer ${await (await call.client()).key()}` }
  const headers = await identityHeaders({ client: name, env: call.env })
  call.say(JSON.stringify({ ...authorization, ...headers }))
}

/**
 * Returns the headers that every request to the tools' endpoint carries. All are optional.
 *
 * The session's id is told only where the process is not known: a connection outlives a session, and a
 * client that another one started inherits the other's variables.
 */
export async function identityHeaders({
  client,
  cwd,
  env,
}: Identity): Promise<Record<string, string>> {
  const process = clientProcess()
  const directory = cwd ?? (process && directoryOf(process.pid))
  const at = directory ? repositoryOf(directory) : undefined
  const session = process === undefined && client ? env[SESSIONS[client] ?? ''] : undefined
  const said = {
    'Loam-Client': client,
    'Loam-Process': process?.key,
    'Loam-Directory': directory,
    'Loam-Repo': at?.repo,
    'Loam-Root': at?.repo_root,
    'Loam-Session': session,
  }
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => (value ? [[name, inHeader(value)]] : [])),
  )
}

/** Percent-encodes what a header cannot hold, and the percent sign itself, so that it can be read back. */
const inHeader = (value: string): string =>
  value.replaceAll(/[^\x20-\x7e]+|%|^ +| +$/g, (part) =>
    [...Buffer.from(part)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )
