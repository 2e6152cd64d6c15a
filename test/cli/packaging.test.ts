import { execFile, spawnSync } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { connect } from '../helpers/agent.ts'
import { openFolder } from '../helpers/folder.ts'
import { LEAN, startService } from '../helpers/service.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const text = (path: string) => readFile(join(ROOT, path), 'utf8')

interface Compose {
  services: Record<
    string,
    { ports?: string[]; environment?: Record<string, string>; image?: string }
  >
}

describe('the compose file', () => {
  // A program of its own, or part of docker's; docker may be there without it.
  const [compose = '', ...args] =
    [['docker-compose'], ['docker', 'compose']].find(
      ([name = '', ...part]) => spawnSync(name, [...part, 'version']).status === 0,
    ) ?? []
  const config = (env: Record<string, string>) => {
    const { PATH = '' } = process.env
    return run(compose, [...args, 'config'], { cwd: ROOT, env: { PATH, ...env } })
  }

  test.runIf(compose)('is understood by compose', async () => {
    const { stdout } = await config({ LOAM_DB_PASSWORD: 'secret' })
    expect(stdout).toContain('pgvector/pgvector:0.8.1-pg17')
  })

  test.runIf(compose)('has no password of its own', async () => {
    await expect(config({})).rejects.toMatchObject({
      stderr: expect.stringContaining('LOAM_DB_PASSWORD'),
    })
    expect(await text('docker-compose.yml')).not.toMatch(/PASSWORD:-/)
  })

  test('lets nothing in but by loopback, and to the database nothing at all', async () => {
    const { services } = parse(await text('docker-compose.yml')) as Compose
    const ports = Object.values(services).flatMap((service) => service.ports ?? [])
    expect(ports).toEqual(['127.0.0.1:8420:8420'])
    expect(services['db']?.ports).toBeUndefined()
  })
})

describe('the image', () => {
  test('serves as a user without rights, who owns the data', async () => {
    const lines = (await text('Dockerfile')).split('\n')
    const at = (start: string) => lines.findIndex((line) => line.startsWith(start))
    // The version that everything was tested with.
    const { devDependencies } = JSON.parse(await text('package.json'))
    expect(lines[0]).toBe(`FROM node:${devDependencies.node}-slim`)
    expect(at('USER node')).toBeGreaterThan(at('RUN npm ci --omit=dev'))
    expect(lines.slice(at('USER node')).filter((line) => /^(USER root|RUN)/.test(line))).toEqual([])
    expect(await text('Dockerfile')).toContain('chown node:node /data')
  })
})

test('every way to start the service bounds its young garbage alike', async () => {
  for (const path of ['Dockerfile', 'package.json', 'bin/loam.mjs']) {
    const flags = [...(await text(path)).matchAll(/--max-semi-space-size=\d+/g)]
    expect(flags.map(([flag]) => flag)).toEqual(LEAN)
  }
})

test('what the service frees goes back to the system, in the image and beside another Node', async () => {
  for (const path of ['Dockerfile', 'bin/loam.mjs']) {
    const said = [...(await text(path)).matchAll(/(MALLOC_[A-Z_]+)[=: ']+(\d+)/g)]
    expect(Object.fromEntries(said.map(([, name, value]) => [name, value]))).toEqual({
      MALLOC_ARENA_MAX: '2',
      MALLOC_TRIM_THRESHOLD_: '131072',
    })
  }
})

describe('the package', () => {
  test('serves from its archive, as JavaScript, below node_modules', async () => {
    await using folder = await openFolder()
    await run(process.execPath, ['src/dev/pack.ts', folder.path], { cwd: ROOT })
    const { version } = JSON.parse(await text('package.json')) as { version: string }
    await run('tar', ['xzf', `loam-${version}.tgz`], { cwd: folder.path })
    await run('mkdir', ['-p', 'node_modules'], { cwd: folder.path })
    await run('mv', ['package', 'node_modules/loam'], { cwd: folder.path })
    const installed = join(folder.path, 'node_modules/loam')
    await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'))

    const program = join(installed, 'bin/loam.mjs')
    const { stdout } = await run(process.execPath, [program, 'version'])
    expect(stdout).toMatch(/^loam \d+\.\d+\.\d+ \(.*\d{4}-\d\d-\d\dT/)
    await using service = await startService({ folder: folder.path, program })
    const quick = join(installed, 'bin/loam-hook.mjs')
    const env = { PATH: '', HOME: folder.path, LOAM_URL: service.url, LOAM_MCP_API_KEY: 'k' }
    const headers = await run(process.execPath, [quick, 'mcp-headers'], { env })
    expect(JSON.parse(headers.stdout)).toMatchObject({ Authorization: 'Bearer k' })
    await using agent = await connect(service)
    expect((await agent.tools()).length).toBeGreaterThan(0)
  })
})

test('every image is pinned to a patch', async () => {
  const places = [
    'Dockerfile',
    'docker-compose.yml',
    '.github/workflows/ci.yml',
    'test/helpers/postgres.ts',
  ]
  const images = []
  for (const path of places) {
    images.push(...(await text(path)).matchAll(/(?:FROM node|\bpgvector\/pgvector):([\w.-]+)/g))
  }
  expect(images.length).toBeGreaterThanOrEqual(places.length)
  for (const [image, tag] of images) expect(tag, image).toMatch(/^\d+\.\d+\.\d+-/)
})
