import { describe, expect, test } from 'vitest'
import { embeddingStatus } from '../../src/embeddings/embeddings.ts'
import { connect } from '../helpers/agent.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { openProvider } from '../helpers/provider.ts'
import { loam, startService } from '../helpers/service.ts'

const patient = { timeout: 60_000, interval: 100 }
const drained = (house: House) =>
  expect.poll(async () => (await embeddingStatus(house.app.kernel)).backlog, patient).toBe(0)

interface Answer {
  hits: { title: string; source: string }[]
  degraded?: string
}

describe('the whole service with a provider', () => {
  test('writes go on while the provider is away, recall answers by words with the cause, and what was missed is made up for', async () => {
    await using provider = await openProvider({ dims: 256 })
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    /** The answer that is degraded in this way; a busy machine may be too slow for one at first. */
    const recall = async (query: string, degraded?: string): Promise<Answer> => {
      let answer: Answer | undefined
      await expect
        .poll(async () => {
          answer = (await agent.call('recall', { query, project: 'atlas' })) as unknown as Answer
          return answer.degraded
        }, patient)
        .toBe(degraded)
      return answer!
    }
    const write = (title: string, body: string) =>
      agent.call('notes_create', { title, body, project: 'atlas' })

    await write('Tides', 'the moon pulls the sea twice a day')
    await drained(house)
    const well = await recall('moon sea')
    expect(well.hits[0]).toMatchObject({ title: 'Tides', source: 'fused' })

    provider.fault = { status: 500 }
    await write('Bread', 'flour and water and salt rest overnight')
    const away = await recall('flour salt', 'the embedding provider is in trouble (status 500)')
    expect(away.hits[0]).toMatchObject({ title: 'Bread', source: 'fts' })
    await expect
      .poll(async () => (await embeddingStatus(house.app.kernel)).trouble, patient)
      .toMatchObject({ cause: 'the embedding provider is in trouble (status 500)' })

    provider.fault = undefined
    await drained(house)
    expect((await embeddingStatus(house.app.kernel)).trouble).toBeNull()
    const again = await recall('flour salt')
    expect(again.hits[0]).toMatchObject({ title: 'Bread', source: 'fused' })
  })

  test('a slow provider costs a question its meaning and no more', async () => {
    await using provider = await openProvider({ dims: 256 })
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Tides', body: 'the moon', project: 'atlas' })
    await drained(house)

    provider.fault = { delay: 20_000 }
    const answer = await agent.call('recall', { query: 'moon', project: 'atlas' })

    expect(answer['degraded']).toBe('the embedding provider did not answer within 1 s')
    expect((answer as unknown as Answer).hits).toHaveLength(1)
  })

  test('without a provider recall searches by words, and bothers nobody with it', async () => {
    for (const provider of ['auto', 'off']) {
      await using house = await openHouse({ env: { LOAM_EMBEDDINGS_PROVIDER: provider } })
      const agent = await house.connect()
      await agent.call('notes_create', { title: 'Tides', body: 'the moon', project: 'atlas' })
      const answer = await agent.call('recall', { query: 'moon', project: 'atlas' })
      expect(answer['hits']).toHaveLength(1)
      expect(answer).not.toHaveProperty('degraded')
    }
  })
})

describe('loam embeddings', () => {
  test('tells how they are, turns the switch and has all made again, of a service that runs', async () => {
    await using folder = await openFolder()
    await using provider = await openProvider({ dims: 64 })
    const { env } = provider
    await using service = await startService({ folder: folder.path, env })
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await loam(['embeddings', ...args, '--quiet'], {
        folder: folder.path,
        env,
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return stdout
    }

    expect(await run()).toContain('on: words (openai)\n')
    expect(await run('off')).toContain('restart the service')
    expect(await run('status')).toContain('restart the service')
    expect(await run('auto')).not.toContain('restart')
    expect(await run('reembed')).toMatch(/making all again, begun \S+, is under way/)
    const doctor = await loam(['doctor'], { folder: folder.path, env })
    expect(doctor.stdout).toMatch(/^ok +vectors +words answers with 64 dimensions$/m)

    provider.fault = { status: 401 }
    const troubled = await loam(['doctor'], { folder: folder.path, env })
    expect(troubled.stdout).toMatch(
      /^warn +vectors +the embedding provider refuses the key \(status 401\); recall searches by words alone$/m,
    )
    await service.stop()
  })

  test('tell what a configured model has yet to read, for how long, and what answers meanwhile', async () => {
    await using folder = await openFolder()
    await using provider = await openProvider({ dims: 64 })
    const before = await startService({ folder: folder.path })
    const agent = await connect(before)
    for (let nth = 0; nth < 40; nth++)
      await agent.call('notes_create', {
        title: `Tide ${nth}`,
        body: `the moon of day ${nth}`,
        project: 'atlas',
      })
    await before.stop()

    const { env } = provider
    // The first 16 texts are answered at once, and the others wait.
    provider.fault = { delay: 8_000, when: (texts) => texts.length > 16 }
    await using service = await startService({ folder: folder.path, env })
    const run = async (...args: string[]) =>
      (await loam([...args, '--quiet'], { folder: folder.path, env })).stdout
    const patient = { timeout: 30_000, interval: 50 }
    await expect
      .poll(() => run('embeddings', 'status'), patient)
      .toMatch(
        /words has read 16 of 40 passages, in the background; the rest takes about \d+ s; until then words alone answer/,
      )
    provider.fault = undefined
    await expect.poll(() => run('embeddings', 'status'), patient).not.toContain('in the background')
    expect(await run('doctor')).toMatch(/^ok +vectors +words answers with 64 dimensions$/m)
    await service.stop()
  })

  test('turns them off from the next start on', async () => {
    await using folder = await openFolder()
    await using provider = await openProvider({ dims: 64 })
    const { env } = provider
    const run = (...args: string[]) => loam(['embeddings', ...args], { folder: folder.path, env })
    await (await startService({ folder: folder.path, env })).stop()
    await run('off')
    const { stdout } = await run()
    expect(stdout).toContain(
      'off: switched off by the owner; "loam embeddings auto" and a restart turn them on',
    )
    const refused = await run('reembed')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('embeddings are off: switched off by the owner')
  })
})
