import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'

describe('lab_open', () => {
  test('shows the ten latest trials of the lab, whatever the project, newest first', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    for (let n = 1; n <= 12; n++) {
      await house.moveClock(`${n} minutes`)
      await tried(agent, `Trial ${n}`, { project: n % 2 ? 'harbor' : 'global' })
    }
    await tried(agent, 'Elsewhere', { lab: 'other' })

    const opened = await agent.call('lab_open', { lab: 'tide-cache', goal: 'a faster cache' })
    expect(opened).toMatchObject({ lab: 'tide-cache', trial_count: 10 })
    const titles = opened['recent_trials'].map(({ title }: { title: string }) => title)
    expect(titles).toEqual(Array.from({ length: 10 }, (_, i) => `Trial ${12 - i}`))
    expect(await agent.call('lab_open', { lab: 'new' })).toEqual({
      lab: 'new',
      trial_count: 0,
      recent_trials: [],
    })
    expect(await house.events('trial.recorded')).toHaveLength(13)
  })

  test('needs no session and no project, and files trials of the connection from then on', async () => {
    await using house = await openHouse()
    await research(house)
    const [agent, other] = [await house.connect(), await house.connect()]
    await agent.call('lab_open', { lab: ' tide cache ' })
    for (const blank of [{}, { lab: '' }, { lab: ' ' }]) {
      const trial = { title: 'x', project: 'harbor', ...blank }
      expect(await agent.call('trial_record', trial)).toMatchObject({ lab: 'tide cache' })
    }
    await expect(other.call('trial_record', { title: 'x', project: 'harbor' })).rejects.toThrow(
      'no lab is open',
    )
    // A connection that only opened a lab speaks for nobody.
    await expect(agent.call('trial_record', { title: 'x' })).rejects.toThrow('ambiguous scope')
  })

  test('is remembered through a session_start on the same connection', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    await agent.call('lab_open', { lab: 'before' })
    await agent.call('session_start', { project: 'harbor' })
    expect(await agent.call('trial_record', { title: 'x' })).toMatchObject({ lab: 'before' })
  })

  test('stands with the session: on every connection of it, and after it is resumed', async () => {
    await using house = await openHouse()
    await research(house)
    const first = await house.connect()
    const { session_id, name } = await first.call('session_start', { project: 'harbor' })
    await first.call('lab_open', { lab: 'tide-cache' })

    const second = await house.connect()
    expect(
      await second.call('trial_record', { title: 'by its argument', session: session_id }),
    ).toMatchObject({ lab: 'tide-cache' })
    await second.call('session_start', { name })
    expect(await second.call('trial_record', { title: 'x' })).toMatchObject({ lab: 'tide-cache' })
    const third = await house.connect()
    await third.call('lab_open', { lab: 'next', session: name })
    expect(await first.call('trial_record', { title: 'x' })).toMatchObject({ lab: 'next' })
    expect((await first.call('trial_query', {}))['lab']).toBe('next')
  })

  test('leaves no sign of life and no event', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    const { session_id } = await agent.call('session_start', { project: 'harbor' })
    const session = () =>
      house.app.kernel.db
        .selectFrom('sessions')
        .select(['updated_at', 'status'])
        .where('id', '=', session_id)
        .executeTakeFirstOrThrow()
    await house.app.kernel.telemetry.flush()
    const before = await session()
    const { openSessionLab } = await import('../../src/sessions/sessions.ts')
    await openSessionLab(house.app.kernel.db, session_id, 'quiet')
    expect(await session()).toEqual(before)
  })

  test.each([
    [{}, 'missing required: "lab"'],
    [{ lab: '  ' }, 'lab must not be blank'],
    [{ lab: 'a\u0007b' }, 'lab must be one line without control characters'],
    [{ lab: 'a', session: 'nobody' }, 'session "nobody" not found'],
  ])('refuses %o', async (args, message) => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    await expect(agent.call('lab_open', args)).rejects.toThrow(`lab_open: ${message}`)
  })

  test('shows nothing of a fenced project but to those within', async () => {
    await using house = await openHouse()
    await research(house)
    const agents = {
      atlas: await house.inside('atlas'),
      ledger: await house.inside('ledger', 'confidential'),
      crypt: await house.inside('crypt', 'sealed'),
    }
    for (const [project, agent] of Object.entries(agents)) await tried(agent, `of ${project}`)
    await tried(agents.atlas, 'of the world', { project: 'global' })
    const seen = async (agent: (typeof agents)['atlas']) => {
      const opened = await agent.call('lab_open', { lab: 'tide-cache' })
      expect(opened['trial_count']).toBe(opened['recent_trials'].length)
      return opened['recent_trials'].map(({ title }: { title: string }) => title).toSorted()
    }
    expect(await seen(agents.atlas)).toEqual(['of atlas', 'of the world'])
    expect(await seen(agents.ledger)).toEqual(['of atlas', 'of ledger', 'of the world'])
    expect(await seen(agents.crypt)).toEqual(['of crypt'])
  })
})
