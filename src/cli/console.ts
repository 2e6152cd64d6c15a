import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { loadClient } from '../config/client.ts'
import { unavailable } from '../kernel/refusal.ts'

/** The service has this long to answer, whatever it says. */
const PATIENCE_MS = 2_000
/** After this the browser has read the page, which holds the key. */
const KEPT_MS = 8_000

const FOLDER_PREFIX = 'loam-console-'

interface Options {
  config?: string
  /** Prints where the page is instead of opening it; the caller opens it soon. */
  print?: true
}

/**
 * Opens the console signed in: a page on this machine, for this user's eyes alone, posts the key as
 * the login form does. The key is in no command line and no address.
 */
export async function openConsole({ config: file, print }: Options): Promise<void> {
  const client = await loadClient({ file })
  const key = await client.key()
  const url = reachable(client.url)
  await mustAnswer(url)
  await sweep()
  const folder = join(tmpdir(), `${FOLDER_PREFIX}${randomBytes(8).toString('hex')}`)
  await mkdir(folder, { mode: 0o700 })
  const removed = removedLater(folder)
  try {
    const page = join(folder, 'open.html')
    await writeFile(page, onePage(url, key), { mode: 0o600, flag: 'wx' })
    if (print) console.log(page)
    else await open(pathToFileURL(page).href)
    await sleep(KEPT_MS)
  } finally {
    await removed()
  }
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
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'manual' })
  } catch (error) {
    throw unavailable(`nothing answers at ${url}; start the service with "loam serve"`, error)
  }
}

/** The page signs in by itself where scripts run, and with one press of a button where they do not. */
function onePage(url: string, key: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Loam</title>
<form method="post" action="${escaped(url)}/console/login">
<input type="hidden" name="key" value="${escaped(key)}">
<input type="hidden" name="next" value="/console/">
<button>Open the console</button>
</form>
<script>document.forms[0].submit()</script>
</html>
`
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

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
async function sweep(): Promise<void> {
  const names = await readdir(tmpdir())
  for (const name of names.filter((name) => name.startsWith(FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name)
    const found = await lstat(folder).catch(() => undefined)
    if (!found?.isDirectory() || Date.now() - found.mtimeMs < KEPT_MS) continue
    if (found.uid === (process.getuid?.() ?? found.uid)) {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** With the system's own opener, which returns when it has handed the page to a browser. */
async function open(address: string): Promise<void> {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  const child = spawn(command!, [...args, address], { detached: true, stdio: 'ignore' })
  const failed = new Promise<Error>((resolve) => child.once('error', resolve))
  const started = new Promise<void>((resolve) => child.once('spawn', resolve))
  const error = await Promise.race([failed, started])
  if (error) throw unavailable(`${command} cannot be started; open the console by hand`, error)
  child.unref()
}
