import { describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'

const row = ({ app }: House, id: string) =>
  app.kernel.db.selectFrom('trials').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

describe('trial_record', () => {
  test('keeps what was tried, and answers with what it holds', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    const trial = await agent.call('trial_record', {
      lab: ' tide-cache ',
      title: 'LRU 10k',
      changes: 'evict by size\r\nnot by age',
      expected: 'p95 below 30 ms',
      actual: 'p95 41 ms',
      outcome: 'fail',
      metrics: { p95_ms: 41, ratio: 1e-3, by: { size: [1, 2] }, warm: null },
    })
    expect(trial).toEqual({
      id: expect.any(String),
      lab: 'tide-cache',
      project: 'harbor',
      session: expect.stringMatching(/^session \d+$/),
      created: expect.stringMatching(/^20\d\d-.*Z$/),
      title: 'LRU 10k',
      changes: 'evict by size\r\nnot by age',
      expected: 'p95 below 30 ms',
      actual: 'p95 41 ms',
      outcome: 'fail',
      metrics: { p95_ms: 41, ratio: 0.001, by: { size: [1, 2] }, warm: null },
    })
    const [{ session_id } = { session_id: '' }] = await house.events('trial.recorded')
    expect(session_id).toBeTruthy()
    expect(await row(house, trial['id'])).toMatchObject({
      project: 'harbor',
      session_id,
      favorite: false,
      metrics: trial['metrics'],
    })
    expect(await house.events('trial.recorded')).toMatchObject([
      {
        item_id: trial['id'],
        project: 'harbor',
        payload: { lab: 'tide-cache', title: 'LRU 10k', outcome: 'fail' },
      },
    ])
  })

  test('leaves out what was left blank', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    const blank = { changes: '', outcome: ' ', metrics: {} }
    expect(await tried(agent, 'Nothing said', blank)).toEqual({
      id: expect.any(String),
      lab: 'tide-cache',
      project: 'harbor',
      session: expect.stringMatching(/^session \d+$/),
      created: expect.stringMatching(/^20\d\d-.*Z$/),
      title: 'Nothing said',
    })
  })

  test('takes metrics as their JSON text, and registers a project that it is the first of', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    const trial = await tried(agent, 'x', { metrics: '{"cores": 4}', project: 'fresh' })
    expect(trial['metrics']).toEqual({ cores: 4 })
    expect(await row(house, trial['id'])).toMatchObject({ project: 'fresh', session_id: '' })
    const { projects } = await agent.call('project_list')
    expect(projects).toMatchObject([{ slug: 'fresh' }])
  })

  test('says what looks like a credential, wherever it stands', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    const key = `ghp_${'a1B2'.repeat(9)}`
    for (const more of [{ actual: key }, { metrics: { key } }]) {
      expect(await tried(agent, 'x', more)).toMatchObject({
        secret_hint: expect.stringContaining('this looks like') as string,
      })
    }
  })

  describe('refuses', () => {
    test.each([
      [{ lab: 'a' }, 'missing required: "title"'],
      [{ lab: 'a', title: ' ' }, 'title must not be blank'],
      [{ lab: ' ', title: 'a' }, 'no lab is open'],
      [{ title: 'a' }, 'no lab is open: pass lab, or call lab_open first'],
      [{ lab: 'a\nb', title: 'a' }, 'lab must be one line without control characters'],
      [{ lab: 'a', title: 'a'.repeat(501) }, 'title must have at most 500 characters'],
      [{ lab: 'a'.repeat(201), title: 'a' }, 'lab must have at most 200 characters'],
      [{ lab: 'a', title: 'a', outcome: 'a'.repeat(201) }, 'outcome must have at most 200'],
      [
        { lab: 'a', title: 'a', actual: 'a'.repeat(20_001) },
        'actual must have at most 20000 characters',
      ],
      [
        { lab: 'a', title: 'a', metrics: { a: 'a'.repeat(20_000) } },
        'metrics must have at most 20000',
      ],
      [{ lab: 'a', title: 'a', metrics: [1] }, 'invalid metrics: expected an object, got array'],
      [
        { lab: 'a', title: 'a', metrics: '{"a": 1e999}' },
        'invalid metrics.a: the number is too large',
      ],
      [{ lab: 'a', title: 'a', metrics: { a: 'x\0' } }, 'it holds a NUL character'],
      [{ lab: 'a', title: 'a', result: 'x' }, 'unknown parameter "result"'],
    ])('%o', async (args, message) => {
      await using house = await openHouse()
      await research(house)
      const agent = await house.inside('harbor')
      await expect(agent.call('trial_record', args)).rejects.toThrow(message)
      const { rows } = {
        rows: await house.app.kernel.db.selectFrom('trials').select('id').execute(),
      }
      expect(rows).toEqual([])
    })

    test('what is no trial before a project is registered for it', async () => {
      await using house = await openHouse()
      await research(house)
      const agent = await house.connect()
      for (const wrong of [{ title: ' ' }, { metrics: { a: 'a'.repeat(20_000) } }]) {
        await expect(tried(agent, 'x', { project: 'fresh', ...wrong })).rejects.toThrow('must')
      }
      expect((await agent.call('project_list'))['projects']).toEqual([])
    })

    test('a trial of nowhere, and one across a fence, and leaves no project behind', async () => {
      await using house = await openHouse()
      await research(house)
      const agent = await house.connect()
      await expect(tried(agent, 'x')).rejects.toThrow('trial_record: ambiguous scope')
      const inside = await house.inside('ledger', 'confidential')
      await expect(tried(inside, 'x', { project: 'fresh' })).rejects.toThrow(
        'session is bound to confidential project ledger and can write nowhere else',
      )
      await house.inside('crypt', 'sealed')
      await expect(tried(agent, 'x', { project: 'crypt' })).rejects.toThrow(
        'project crypt is sealed',
      )
      expect((await agent.call('project_list'))['projects']).toHaveLength(2)
    })
  })
})
