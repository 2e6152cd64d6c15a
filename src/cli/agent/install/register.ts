/** The service among a client's MCP servers: through the client's own command where it has one. */
import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Environment } from '../../../config.ts'
import { bridgeCommand, httpServer } from './clients.ts'
import { readObject, writeObject } from './file.ts'
import type { Way } from './way.ts'

const run = promisify(execFile)
/** A client that waits for an answer on a terminal is not waited for. */
const ANSWER_MS = 20_000
const NAME = 'loam'

/** Whether a program can be started by its name. */
export async function onPath(program: string, env: Environment): Promise<boolean> {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program]
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const found = folders.flatMap((folder) =>
    names.map((name) => access(join(folder, name), constants.X_OK).then(() => true)),
  )
  return (await Promise.allSettled(found)).some(({ status }) => status === 'fulfilled')
}

/** Registers with Claude Code for all of the user's projects. Returns a line for the owner. */
export async function registerWithClaude(way: Way, env: Environment): Promise<string> {
  const server = JSON.stringify(httpServer(way))
  const args = ['mcp', 'add-json', '--scope', 'user', NAME, server]
  if (!(await onPath('claude', env))) return `mcp: run ${shown(['claude', ...args])}`
  const known = await answerOf('claude', ['mcp', 'get', NAME], env)
  if (known?.includes(`${way.url}/api/mcp`)) return 'mcp: unchanged'
  if (known !== undefined && !known.includes('/api/mcp')) {
    return `mcp: a server "${NAME}" of another kind is registered already; it was left as it is`
  }
  if (known !== undefined) await answerOf('claude', ['mcp', 'remove', '--scope', 'user', NAME], env)
  const added = await answerOf('claude', args, env)
  return added === undefined
    ? `mcp: claude refused; run ${shown(['claude', ...args])}`
    : 'mcp: added'
}

/** Registers with Codex, which starts our bridge. */
export async function registerWithCodex(way: Way, env: Environment): Promise<string> {
  const { command, args } = bridgeCommand(way)
  const add = ['mcp', 'add', NAME, '--', command, ...args]
  if (!(await onPath('codex', env))) return `mcp: run ${shown(['codex', ...add])}`
  const known = await answerOf('codex', ['mcp', 'get', NAME, '--json'], env)
  if (known?.includes(JSON.stringify(way.program)) && known.includes(JSON.stringify(way.config))) {
    return 'mcp: unchanged'
  }
  if (known !== undefined && !/loam(?:\.mjs)?"/.test(known)) {
    return `mcp: a server "${NAME}" of another kind is registered already; it was left as it is`
  }
  const added = await answerOf('codex', add, env)
  return added === undefined ? `mcp: codex refused; run ${shown(['codex', ...add])}` : 'mcp: added'
}

/** Takes the server out of a client again; a foreign one of the same name stays. */
export async function unregister(client: 'claude' | 'codex', env: Environment): Promise<string> {
  const get = client === 'codex' ? ['mcp', 'get', NAME, '--json'] : ['mcp', 'get', NAME]
  const remove =
    client === 'codex' ? ['mcp', 'remove', NAME] : ['mcp', 'remove', '--scope', 'user', NAME]
  const known = (await onPath(client, env)) ? await answerOf(client, get, env) : undefined
  if (known === undefined || !/\/api\/mcp|loam(?:\.mjs)?"/.test(known)) return 'mcp: none'
  return (await answerOf(client, remove, env)) === undefined
    ? `mcp: run ${shown([client, ...remove])}`
    : 'mcp: removed'
}

/** The desktop app reads its servers from a file. */
export async function registerWithDesktop(path: string, way: Way): Promise<string> {
  const config = await readObject(path)
  const servers = { ...serversOf(config), [NAME]: bridgeCommand(way) }
  return (await writeObject(path, { ...config, mcpServers: servers }))
    ? 'mcp: added'
    : 'mcp: unchanged'
}

export async function unregisterFromDesktop(path: string): Promise<string> {
  const config = await readObject(path)
  const { [NAME]: ours, ...others } = serversOf(config)
  if (ours === undefined) return 'mcp: none'
  await writeObject(path, { ...config, mcpServers: others })
  return 'mcp: removed'
}

const serversOf = ({ mcpServers }: Record<string, unknown>): Record<string, unknown> =>
  typeof mcpServers === 'object' && mcpServers !== null ? { ...mcpServers } : {}

/** Returns what the program printed; undefined when it failed. */
async function answerOf(
  program: string,
  args: string[],
  env: Environment,
): Promise<string | undefined> {
  const running = run(program, args, {
    timeout: ANSWER_MS,
    env,
    shell: process.platform === 'win32',
  })
  running.child.stdin?.end()
  return running.then(({ stdout, stderr }) => stdout + stderr).catch(() => undefined)
}

const shown = (words: readonly string[]): string =>
  words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
