import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { linesOf, runOn } from './in-process.ts'

export interface Posted {
  path: string
  headers: IncomingHttpHeaders
  /** Without the key of the process, which is that of this test. */
  body: Record<string, unknown>
  process: unknown
}

/** A service of a test's own that takes hooks and says what it was told to say. */
export interface HookService extends AsyncDisposable {
  url: string
  posted: Posted[]
}

/** Answers each hook with `status` and `answer`; never, when there is no answer. */
export async function openHookService({
  status = 200,
  answer = '{"continue":true,"suppressOutput":true}' as string | null,
} = {}): Promise<HookService> {
  const posted: Posted[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const sent = JSON.parse(Buffer.concat(parts).toString('utf8')) as Posted['body']
      const { process, ...body } = sent
      posted.push({ path: request.url ?? '', headers: request.headers, body, process })
      if (answer !== null) response.writeHead(status).end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Runs one hook as a client does, with this on its standard input; returns what came out. */
export async function hook(
  event: string,
  payload: object | string,
  {
    config,
    client = 'claude-code',
    home = '/',
    env: more = {},
  }: { config: string; client?: string; home?: string; env?: Record<string, string> },
): Promise<{ stdout: string[]; stderr: string[] }> {
  const args = ['hook', event, '--config', config, '--client', client]
  const stdin = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const env = { HOME: home, XDG_STATE_HOME: join(dirname(config), 'state'), ...more }
  const { stdout, stderr } = await runOn(args, { cwd: home, env, stdin })
  return { stdout: linesOf(stdout), stderr: linesOf(stderr) }
}
