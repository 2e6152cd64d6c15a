import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { openFolder } from '../helpers/folder.ts'
import { defineAttack } from './attack.ts'
import { startProduct } from './product.ts'

/** The scenarios that need tools, prompts, resources or logging that only a test server has. */
const BASELINE = new URL('conformance-baseline.yaml', import.meta.url)

const SUITES = [
  { name: '@modelcontextprotocol/conformance', choice: [] },
  { name: 'conformance-next', choice: ['--requirements', '2025-11-25'] },
]

export const conformance = defineAttack({
  id: 'P1, P2',
  title: 'the protocol’s own suites fail exactly where the baseline says',
  rounds: 1,

  async run({ log }) {
    await using product = await startProduct()
    await using proxy = await withKey(product.url, product.key)
    const { server: expected } = parse(await readFile(BASELINE, 'utf8')) as { server: string[] }

    for (const { name, choice } of SUITES) {
      const results = await runSuite(name, `${proxy.url}/api/mcp`, choice)
      const failed = [...results].filter(([, passed]) => !passed).map(([scenario]) => scenario)
      const known = expected.filter((scenario) => results.has(scenario))
      log(`${name}: ${results.size - failed.length} of ${results.size} scenarios pass`)
      log(`failed: ${failed.join(', ')}`)
      assert.deepEqual(failed.sort(), known.sort())
      for (const scenario of [
        'server-initialize',
        'ping',
        'tools-list',
        'dns-rebinding-protection',
      ]) {
        assert.equal(results.get(scenario), true, `${name}: ${scenario}`)
      }
    }
  },
})

/** Scenario → whether all of its checks passed. */
async function runSuite(
  name: string,
  url: string,
  choice: string[],
): Promise<Map<string, boolean>> {
  await using folder = await openFolder()
  const program = fileURLToPath(
    new URL(`../../node_modules/${name}/dist/index.js`, import.meta.url),
  )
  const args = [program, 'server', '--url', url, '--output-dir', folder.path, ...choice]
  // It exits with 1 as soon as any scenario fails: what counts is what it wrote down.
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 1 << 26 }, () => resolve())
  })
  const results = new Map<string, boolean>()
  for (const run of await readdir(folder.path)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(run) ?? []
    const checks = JSON.parse(await readFile(join(folder.path, run, 'checks.json'), 'utf8')) as {
      status: string
    }[]
    if (scenario)
      results.set(
        scenario,
        checks.every(({ status }) => status !== 'FAILURE'),
      )
  }
  return results
}

/** A proxy that adds the key, which the suites cannot send, and touches nothing else. */
async function withKey(target: string, key: string): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` }
    const outgoing = request(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method ?? 'GET', headers },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(answer)
      },
    )
    outgoing.on('error', () => answer.destroy())
    answer.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
