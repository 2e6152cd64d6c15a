import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathsIn } from '../../src/cli/operator/plan/paths.ts'
import { capturePlan } from '../../src/plans/plans.ts'
import { openForWriting, GLOBAL, scopeAt } from '../../src/projects/projects.ts'
import type { House } from '../helpers/house.ts'
import { openOperated, type Operated } from '../helpers/operator.ts'
import { addStep, moveStep } from '../helpers/plans.ts'

const exec = promisify(execFile)

async function capture(
  { app: { kernel } }: House,
  basename: string,
  text: string,
  git_head = '',
): Promise<void> {
  await openForWriting(kernel, GLOBAL, 'atlas')
  const target = {
    project: 'atlas',
    scope: await scopeAt(kernel.db, 'atlas'),
  }
  const by = { session: '', model: '' }
  await capturePlan(kernel, { by, name: 'cc/1', target, git_head }, { basename, text })
}

describe('loam plan', () => {
  let operated: Operated
  beforeAll(async () => {
    operated = await openOperated()
  })
  afterAll(() => operated[Symbol.asyncDispose]())

  test('lists the plans, shows one, and approves it', async () => {
    const { house, loam } = operated
    expect((await loam('plan', 'list')).said).toEqual(['There is no such plan.'])
    await capture(house, 'quiet-river', '# Rebuild it\n\nFirst read.\n')
    const step = await addStep(house, 'rebuild-it', { title: 'Read' })
    await addStep(house, 'launch', { project: '' })
    await moveStep(house, step, 'done')

    const listed = await loam('plan', 'list')
    expect(listed.said).toEqual([
      expect.stringMatching(/^atlas\/rebuild-it {2}done {2}1\/1 steps {2}draft {2}0 tokens {2}20/),
      expect.stringMatching(/^global\/launch {2}ready {2}0\/1 steps {2}0 tokens {2}20/),
    ])
    expect((await loam('plan', 'list', '--project', 'global')).said).toHaveLength(1)
    expect((await loam('plan', 'list', '--window', '24h')).said).toHaveLength(2)

    const approved = await loam('plan', 'approve', 'rebuild-it')
    expect(approved.said).toEqual([
      'atlas/rebuild-it is approved',
      expect.stringMatching(/^task 01\w+ tracks it$/),
    ])
    expect((await loam('plan', 'approve', 'rebuild-it')).said).toEqual([
      'atlas/rebuild-it was approved',
    ])

    const { said, code } = await loam('plan', 'show', 'rebuild-it', '--project', 'atlas')
    expect(code).toBe(0)
    expect(said.slice(0, 3)).toEqual([
      'atlas/rebuild-it: Rebuild it',
      'capture, approved, ready',
      'file quiet-river.md, iteration 1',
    ])
    expect(said.join('\n')).toMatch(
      /1 of 2 steps done, 0 in progress, 1 ready\n {2}done {9}01\w+ {2}Read\n {2}open {9}01\w+ {2}Implement plan: Rebuild it\n\n# Rebuild it\n\nFirst read\.$/,
    )
  })

  test.each([
    [['plan', 'show', 'x'], 1, 'loam: no plan "x"'],
    [['plan', 'approve', 'launch'], 1, 'only a captured plan is approved'],
    [['plan', 'show', 'launch', '--project', 'Big/Ship'], 1, 'invalid project'],
    [['plan', 'list', '--window', '2d'], 2, 'Allowed choices are 24h, 7d, 30d, all'],
    [['plan', 'show'], 2, "missing required argument 'plan'"],
    [['plan', 'check', 'launch', '--cwd', '/'], 1, '/ is in no git repository with a commit'],
  ])('refuses %j', async (args, code, words) => {
    const said = await operated.loam(...args)
    expect([said.code, said.complained]).toEqual([code, expect.stringContaining(words)])
  })

  test('checks each note of a plan against the repository', async () => {
    const { house, loam, folder } = operated
    const cwd = join(folder, 'repo')
    const git = async (...args: string[]): Promise<string> => {
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
      return (await exec('git', ['-C', cwd, ...who, ...args])).stdout.trim()
    }
    await mkdir(join(cwd, 'src', 'deep'), { recursive: true })
    await git('init', '-q')
    const write = (path: string, text: string) => writeFile(join(cwd, path), text)
    await write('src/a.ts', '1')
    await write('src/deep/b.ts', '1')
    await git('add', '.')
    await git('commit', '-qm', 'one')
    const before = await git('rev-parse', 'HEAD')

    await capture(house, 'check', '# Check\n\nChange `src/a.ts`, then test.\n', before)
    const check = () => loam('plan', 'check', 'check', '--cwd', cwd)
    expect(await check()).toMatchObject({
      code: 0,
      said: ['FRESH    cc-plan-check: written on the commit that is checked out'],
    })
    await write('src/deep/b.ts', '2')
    await git('commit', '-qam', 'two')
    expect((await check()).said).toEqual([
      `FRESH    cc-plan-check: nothing it names has changed since ${before.slice(0, 12)}`,
    ])
    await write('src/a.ts', '2')
    await git('commit', '-qam', 'three')
    expect(await check()).toMatchObject({
      code: 1,
      said: [`STALE    cc-plan-check: changed since ${before.slice(0, 12)}: src/a.ts`],
    })

    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'By hand', body: 'src/a.ts', plan: 'check' })
    await capture(house, 'foreign', '# Foreign\n', 'f'.repeat(40))
    expect((await check()).said).toContain(
      'UNKNOWN  by-hand: it does not say on which commit it was written',
    )
    expect(await loam('plan', 'check', 'foreign', '--cwd', cwd)).toMatchObject({
      code: 0,
      said: ['UNKNOWN  cc-plan-foreign: commit ffffffffffff is not in this repository'],
    })
  })
})

test('what looks like a path is found in a text, and nothing else', () => {
  const text =
    'See ./src/a.ts, `docs/`, README.md and test/b. Not 3.14, e.g. this; src/plans/ is a folder.'
  expect(pathsIn(text)).toEqual(['src/a.ts', 'docs/', 'README.md', 'test/b', 'e.g', 'src/plans/'])
})
