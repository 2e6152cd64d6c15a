import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const run = promisify(execFile)
const VITEST = resolve('node_modules/vitest/vitest.mjs')

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loam-ci-'))
  await mkdir(join(folder, 'results'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs a suite of these files as `.ci/run` does, its report under a name, and gives back its exit code. */
async function suite(
  name: string,
  files: Record<string, string>,
  reported = name,
): Promise<number> {
  const vitest = `import { expect, test } from ${JSON.stringify(resolve('node_modules/vitest/dist/index.js'))}\n`
  await mkdir(join(folder, name), { recursive: true })
  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(folder, name, file), vitest + text)
  }
  const report = join(folder, 'results', `${reported}.json`)
  const reporters = ['--reporter=json', `--reporter=${resolve('.ci/outside.mjs')}`]
  const args = [VITEST, 'run', ...reporters, `--outputFile.json=${report}`, '--maxWorkers=1']
  const exit = await exitOf(process.execPath, args, join(folder, name))
  await writeFile(join(folder, 'results', `${reported}.exit`), String(exit.code))
  return exit.code
}

async function exitOf(
  file: string,
  args: string[],
  cwd: string,
): Promise<{ code: number; stdout: string }> {
  const env = { PATH: process.env['PATH'], CI: 'true' }
  const ended = run(file, args, { cwd, env }).then(({ stdout }) => ({ code: 0, stdout }))
  return ended.catch((error: { code: number; stdout: string }) => error)
}

const asksAgain = async (name: string): Promise<string> =>
  (
    await exitOf(
      process.execPath,
      [resolve('.ci/again.mjs'), join(folder, 'results'), name],
      folder,
    )
  ).stdout

const sum = (...names: string[]): Promise<{ code: number; stdout: string }> =>
  exitOf(process.execPath, [resolve('.ci/sum.mjs'), join(folder, 'results'), ...names], folder)

test('the sum of several runs names each failure, with its file and its reason', async () => {
  expect(await suite('good', { 'one.test.ts': `test('passes', () => {})` })).toBe(0)
  const bad = {
    'one.test.ts': `test('passes', () => {})\ntest('adds', () => expect(1 + 1).toBe(3))`,
    'gone.test.ts': `import './not-there.ts'`,
    'late.test.ts': `test('leaves a promise', async () => {
      void Promise.reject(new Error('nobody awaited this'))
      await new Promise((resolve) => setTimeout(resolve, 20))
    })`,
  }
  expect(await suite('bad', bad)).toBe(1)

  const { code, stdout } = await sum('good', 'bad', 'killed')
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /failed in bad: bad\/one\.test\.ts > adds\n {4}AssertionError: expected 2 to be 3/,
  )
  expect(stdout).toMatch(/failed in bad: bad\/gone\.test\.ts\n.*not-there/)
  expect(stdout).toMatch(
    /failed in bad: outside of the tests, during .*late\.test\.ts.*\n.*nobody awaited this/,
  )
  expect(stdout).toMatch(/failed in killed: the whole run\n {4}no report/)
  expect(stdout.trimEnd().split('\n').slice(-4)).toEqual([
    'good: 1 passed, 0 failed',
    'bad: 2 passed, 3 failed',
    'killed: 0 passed, 1 failed',
    '3 passed, 4 failed',
  ])
})

test('the sum of runs in which all passed is a success', async () => {
  await suite('good', { 'one.test.ts': `test('passes', () => {})` })
  expect(await sum('good')).toEqual({
    code: 0,
    stdout: '\ngood: 1 passed, 0 failed\n1 passed, 0 failed\n',
  })
})

test('what failed and passes by itself is told apart, and not counted as a failure', async () => {
  const files = {
    'one.test.ts': `
      import { existsSync, writeFileSync } from 'node:fs'
      test('holds', () => {})
      test('falters', () => {
        const before = existsSync('asked')
        writeFileSync('asked', '')
        expect(before).toBe(true)
      })`,
    'two.test.ts': `test('passes', () => {})`,
  }
  await suite('run', files)
  expect(await asksAgain('run')).toBe('run/one.test.ts\n')
  await suite('run', files, 'run.again')

  const { code, stdout } = await sum('run')
  expect(stdout).toMatch(
    /failed in run, and passed by itself: run\/one\.test\.ts > falters\n {4}AssertionError/,
  )
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    'run: 2 passed, 0 failed, 1 passed only when asked again',
    '2 passed, 0 failed',
  ])
  expect(code).toBe(0)
})

test('what fails by itself as well is a failure, and what fails in many files is not asked again', async () => {
  const bad = `test('adds', () => expect(1 + 1).toBe(3))`
  await suite('run', { 'one.test.ts': bad })
  await suite('run', { 'one.test.ts': bad }, 'run.again')
  const { code, stdout } = await sum('run')
  expect(code).toBe(1)
  expect(stdout).toMatch(/\nrun: 0 passed, 1 failed\n/)

  const four = ['a', 'b', 'c', 'd'].map((name) => [`${name}.test.ts`, bad] as const)
  await suite('many', Object.fromEntries(four))
  expect(await asksAgain('many')).toBe('')
})
