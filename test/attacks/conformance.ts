import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { openFolder } from '../helpers/folder.ts'
import { openEdge } from '../helpers/edge.ts'
import { defineAttack } from './attack.ts'
import { suiteFixture } from './conformance-fixture.ts'
import { startProduct } from './product.ts'

interface Suite {
  name: string
  choice: string[]
  /** A list of the scenarios that need tools, prompts, resources or logging that only a test server has. */
  baseline: string
  /** Scenarios that must do this well: checks that passed. */
  least: Record<string, number>
}

const SESSIONS = {
  baseline: 'conformance-baseline.yaml',
  least: { 'server-initialize': 1, ping: 1, 'tools-list': 1, 'dns-rebinding-protection': 1 },
}
const SUITES: Suite[] = [
  { name: '@modelcontextprotocol/conformance', choice: [], ...SESSIONS },
  { name: 'conformance-next', choice: ['--requirements', '2025-11-25'], ...SESSIONS },
  {
    name: 'conformance-next',
    choice: ['--requirements', '2026-07-28'],
    baseline: 'conformance-baseline-stateless.yaml',
    least: {
      'server-stateless': 24,
      'http-header-validation': 14,
      'tools-list': 4,
      caching: 4,
      'dns-rebinding-protection': 1,
    },
  },
]

export const conformance = defineAttack({
  id: 'P1, P2, P4',
  title: 'the protocol’s own suites fail exactly where the baseline says',
  rounds: 1,
  once: true,

  async run({ log }) {
    await using product = await startProduct()
    await using proxy = await withKey(product.url, product.key)

    for (const { name, choice, baseline, least } of SUITES) {
      const text = await readFile(new URL(baseline, import.meta.url), 'utf8')
      const { server: expected } = parse(text) as { server: string[] }
      const results = await runSuite(name, `${proxy.url}/api/mcp`, choice)
      const failed = [...results]
        .filter(([, { failed }]) => failed > 0)
        .map(([scenario]) => scenario)
      const known = expected.filter((scenario) => results.has(scenario))
      log(`${name} ${choice.join(' ')}: ${results.size - failed.length} of ${results.size} pass`)
      log(`failed: ${failed.join(', ')}`)
      assert.deepEqual(failed.sort(), known.sort())
      for (const [scenario, wanted] of Object.entries(least)) {
        const { passed = 0, failed = 0 } = results.get(scenario) ?? {}
        log(`${scenario}: ${passed} checks pass, ${failed} fail`)
        assert.ok(passed >= wanted, `${name}: ${scenario} passes ${passed} checks, not ${wanted}`)
      }
    }
  },
})

/** With everything that the suites ask for behind the endpoint, nothing of them may fail. */
export const conformanceWhole = defineAttack({
  id: 'P3',
  title: 'the protocol’s own suites pass whole where a server has all they ask for',
  rounds: 1,
  once: true,

  async run({ log }) {
    await using edge = await openEdge({ extension: suiteFixture() })
    await using proxy = await withKey(edge.url, edge.key)
    for (const { name, choice } of SUITES.filter(({ least }) => least === SESSIONS.least)) {
      const results = await runSuite(name, `${proxy.url}/api/mcp`, choice)
      const sum = (of: 'passed' | 'failed'): number =>
        [...results.values()].reduce((total, checks) => total + checks[of], 0)
      log(
        `${name} ${choice.join(' ')}: ${sum('passed')} of ${sum('passed') + sum('failed')} checks`,
      )
      const failed = [...results]
        .filter(([, { failed }]) => failed > 0)
        .map(([scenario]) => scenario)
      assert.deepEqual(failed, [])
      assert.ok(results.size >= 30, `${name}: only ${results.size} scenarios were run`)
    }
  },
})

/** Scenario → how many of its checks passed and failed. */
async function runSuite(
  name: string,
  url: string,
  choice: string[],
): Promise<Map<string, { passed: number; failed: number }>> {
  await using folder = await openFolder()
  const program = fileURLToPath(
    new URL(`../../node_modules/${name}/dist/index.js`, import.meta.url),
  )
  const args = [program, 'server', '--url', url, '--output-dir', folder.path, ...choice]
  // It exits with 1 as soon as any scenario fails: what counts is what it wrote down.
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 1 << 26 }, () => resolve())
  })
  const results = new Map<string, { passed: number; failed: number }>()
  for (const run of await readdir(folder.path)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(run) ?? []
    const checks = JSON.parse(await readFile(join(folder.path, run, 'checks.json'), 'utf8')) as {
      status: string
    }[]
    const count = (wanted: string): number =>
      checks.filter(({ status }) => status === wanted).length
    if (scenario) results.set(scenario, { passed: count('SUCCESS'), failed: count('FAILURE') })
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
