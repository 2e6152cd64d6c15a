import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { unavailable } from '../../../kernel/refusal.ts'
import type { AgentCall } from '../../command.ts'
import { type Machine, tempOf } from '../../machine.ts'
import { openBrowser } from './browser.ts'
import { loginPage } from './login-page.ts'

/** The service has this long to answer, whatever it says. */
const ANSWER_MS = 2_000
/** After this the browser has read the page, which holds the key. */
const KEPT_MS = 8_000

const FOLDER_PREFIX = 'loam-console-'

/**
 * Opens the console signed in: a page on this machine, for this user's eyes alone, posts the key as
 * the login form does. The key is in no command line and no address.
 */
export async function openConsole(call: AgentCall, { print }: { print: boolean }): Promise<void> {
  const client = await call.client()
  const key = await client.key()
  const url = reachable(client.url)
  await mustAnswer(url)
  await sweep(call)
  const folder = join(tempOf(call), `${FOLDER_PREFIX}${randomBytes(8).toString('hex')}`)
  await mkdir(folder, { mode: 0o700 }).catch(unwritten)
  const removed = removedLater(folder)
  try {
    const page = join(folder, 'open.html')
    await writeFile(page, loginPage(url, key), { mode: 0o600, flag: 'wx' }).catch(unwritten)
    if (print) call.say(page)
    else await openBrowser(pathToFileURL(page).href, call.env)
    await sleep(KEPT_MS)
  } finally {
    await removed()
  }
}

function unwritten(error: NodeJS.ErrnoException): never {
  throw unavailable(
    `${error.path}: the page that signs in cannot be written (${error.code}); TMPDIR names the folder for it`,
    error,
  )
}

/** The service listens on every address; a browser needs one of them. */
function reachable(url: string): string {
  const address = new URL(url)
  if (address.hostname === '0.0.0.0') address.hostname = '127.0.0.1'
  if (address.hostname === '[::]') address.hostname = '[::1]'
  return address.href.replace(/\/+$/, '')
}

async function mustAnswer(url: string): Promise<void> {
  try {
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' })
  } catch (error) {
    throw unavailable(`nothing answers at ${url}; start the service with "loam serve"`, error)
  }
}

/** Removes it when asked, and when a signal ends the program before. */
function removedLater(folder: string): () => Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const remove = () => rm(folder, { recursive: true, force: true })
  const ended = () => void remove().finally(() => process.exit(1))
  for (const signal of signals) process.once(signal, ended)
  return async () => {
    for (const signal of signals) process.off(signal, ended)
    await remove()
  }
}

/** What earlier runs left that were killed. */
async function sweep(machine: Pick<Machine, 'env'>): Promise<void> {
  const temp = tempOf(machine)
  const names = await readdir(temp).catch(() => [])
  for (const name of names.filter((name) => name.startsWith(FOLDER_PREFIX))) {
    const folder = join(temp, name)
    const found = await lstat(folder).catch(() => undefined)
    if (!found?.isDirectory() || Date.now() - found.mtimeMs < KEPT_MS) continue
    if (found.uid === (process.getuid?.() ?? found.uid)) {
      await rm(folder, { recursive: true, force: true }).catch(() => {})
    }
  }
}
