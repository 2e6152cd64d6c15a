import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, rounded, temporary, timed } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/loam-hook.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAIRS = 15
/** The whole process of a hook, in starts of the same Node that do nothing. */
const LIMIT = 2.5

/** One turn of a transcript. */
const TURN = `${JSON.stringify({
  type: 'assistant',
  message: { id: 'm', model: 'a-model', content: [{ type: 'text', text: 'It is drained.' }] },
})}\n`

/** The whole process of a hook against a service that answers at once, in starts of the same Node. */
export async function hookProcesses({ log }: BenchOptions): Promise<Report> {
  await using folder = await temporary()
  await using service = await answering()
  await mkdir(join(folder.path, '.config/loam'), { recursive: true })
  const file = join(folder.path, 'key')
  await writeFile(file, 'the-key-of-a-bench')
  const lines = `url: http://127.0.0.1:${service.port}\nkey_file: ${file}\n`
  await writeFile(join(folder.path, '.config/loam/client.yaml'), lines)
  const transcript_path = join(folder.path, 's.jsonl')
  await writeFile(transcript_path, TURN.repeat(500))
  const said = { prompt: 'Drain the queue first', last_assistant_message: 'It is drained.' }
  const payload = { session_id: 's', cwd: ROOT, source: 'startup', transcript_path, ...said }
  const start = (args: readonly string[], input = ''): Promise<number> =>
    timed(() => ended(args, { home: folder.path, input }))

  const report: Report = { rows: [], missed: [] }
  for (const words of [
    ['hook', 'session-start'],
    ['hook', 'user-prompt-submit'],
    ['hook', 'stop'],
    ['mcp-headers'],
  ]) {
    const own = () => start([PROGRAM, ...words], JSON.stringify(payload))
    // Compiled code is kept from the first start on.
    await own()
    const times: { own: number; empty: number }[] = []
    for (let pair = 0; pair < PAIRS; pair++)
      times.push({ empty: await start(['-e', '0']), own: await own() })
    const ratio = median(times.map((each) => each.own / each.empty))
    const row = {
      program: words.join(' '),
      'node -e 0, ms': rounded(median(times.map(({ empty }) => empty))),
      'process, ms': rounded(median(times.map((each) => each.own))),
      ratio: rounded(ratio),
    }
    report.rows.push(row)
    log(JSON.stringify(row))
    if (ratio > LIMIT) report.missed.push(`${words.join(' ')}: ${rounded(ratio)} × node -e 0`)
  }
  return report
}

/** Runs Node as a client does, to its end. */
function ended(
  args: readonly string[],
  { home, input }: { home: string; input: string },
): Promise<void> {
  const child = spawn(process.execPath, args, { env: { PATH: '', HOME: home } })
  child.stdout.resume()
  child.stderr.resume()
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(' ')} ended with ${code}`)),
    )
  })
}

/** A service that answers every hook at once. */
async function answering(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('{"continue":true,"suppressOutput":true}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
