import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { called } from '../tasks/given.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { runOn } from '../helpers/in-process.ts'

describe('at the command line', () => {
  let house: House
  beforeEach(async () => {
    house = await openHouse()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  /** Runs one command: what it printed, and its exit code. */
  async function loam(...args: string[]) {
    const env = { LOAM_URL: house.url, LOAM_MCP_API_KEY: house.key }
    const { code, stdout, stderr } = await runOn([...args, '--quiet'], { cwd: house.dir, env })
    return { code, said: stdout.trimEnd(), complained: stderr.trimEnd() }
  }
  const add = async (...args: string[]): Promise<string> =>
    (await loam('task', 'add', '--project', 'atlas', '--title', ...args)).said

  test('work is added, found, claimed, held on to and finished', async () => {
    const session = await house.session('atlas')
    const first = await add('Benchmark')
    const second = await add('Switch over', '--depends', first, '--body', 'to v2')
    expect(first).toMatch(/^[0-9A-Z]{26}$/)

    expect(await loam('ready', '--project', 'atlas')).toEqual({
      code: 0,
      said: `${first}  Benchmark`,
      complained: '1 ready, 0 lapsed, 1 blocked',
    })
    expect((await loam('ready', '--project', 'atlas', '--blocked')).said).toBe(
      `${first}  Benchmark\n${second}  Switch over  (blocked)\n  waits on ${first}  Benchmark`,
    )
    const claimed = await loam('task', 'claim', first, '--session', session, '--lease', '60')
    expect(claimed.complained).toMatch(/^claimed until 2/)
    const beat = await loam(
      'task',
      'heartbeat',
      first,
      '--session',
      session,
      '--token',
      claimed.said,
    )
    expect(beat).toMatchObject({ code: 0, said: claimed.said })
    expect(beat.complained).toMatch(/^held on until 2/)

    expect((await loam('task', 'done', first)).complained).toContain('task already claimed')
    const done = await loam('task', 'done', first, '--session', session, '--token', claimed.said)
    expect(done).toEqual({ code: 0, said: `${first}  done  Benchmark`, complained: '' })
    expect((await loam('ready', '--project', 'atlas')).said).toBe(`${second}  Switch over`)
    expect((await loam('task', 'list', '--project', 'atlas')).said).toBe(
      `${second}  open         Switch over\n${first}  done         Benchmark`,
    )
    const shown = JSON.parse((await loam('task', 'show', second)).said)
    expect(shown).toMatchObject({ id: second, body: 'to v2', depends_on: [first] })
  })

  test('who else changes the same files is told, and what has lapsed is shown as such', async () => {
    const [mine, theirs] = [await house.session('atlas'), await house.session('atlas')]
    const name = await called(house, theirs)
    const [one, other] = [await add('One'), await add('Other')]
    await loam('task', 'claim', other, '--session', theirs, '--paths', 'src/**', '--lease', '60')
    const { complained } = await loam(
      'task',
      'claim',
      one,
      '--session',
      mine,
      '--paths',
      'src/a',
      'b',
    )
    expect(complained).toContain(`${name} changes src/** as well, for ${other}  Other`)
    await house.moveClock('61 seconds')
    expect((await loam('ready', '--project', 'atlas')).said).toBe(
      `${other}  Other  (lapsed, was held by ${name})`,
    )
    expect((await loam('task', 'claim', other, '--session', mine)).complained).toContain(
      `taken over from ${name}`,
    )
  })

  test('a task is given back by its holder, and taken away by the owner alone', async () => {
    const session = await house.session('atlas')
    const id = await add('One')
    await loam('task', 'claim', id, '--session', session)
    expect(await loam('task', 'release', id, '--session', session)).toMatchObject({
      code: 0,
      said: `${id}  open  One`,
    })
    await loam('task', 'claim', id, '--session', session)
    expect(await loam('task', 'release', id)).toMatchObject({ code: 1 })
    expect(await loam('task', 'release', id, '--force')).toMatchObject({
      code: 0,
      said: `${id}  open  One`,
    })
    expect(await loam('task', 'release', id, '--force')).toMatchObject({
      code: 1,
      complained: expect.stringContaining('not claimed'),
    })
  })

  test.each([
    ['start', 'in_progress'],
    ['drop', 'dropped'],
    ['reopen', 'open'],
  ])('task %s makes it %s', async (command, status) => {
    const id = await add('One')
    expect((await loam('task', command, id)).said).toBe(`${id}  ${status}  One`)
  })

  test('what cannot be understood ends with 2, and what is refused with 1', async () => {
    expect(await loam('task', 'add', '--project', 'atlas')).toMatchObject({ code: 2 })
    expect(await loam('task', 'list', '--status', 'ready')).toMatchObject({
      code: 1,
      complained: expect.stringContaining('valid values are open'),
    })
    expect(await loam('task', 'show', 'nothing')).toMatchObject({ code: 1 })
  })
})
