import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDemoHouse } from '../../src/dev/demo/house.ts'
import { newLedger } from '../../src/dev/demo/ledger.ts'
import { demoSettings } from '../../src/dev/demo/make.ts'
import { learnAgain } from '../../src/embeddings/embeddings.ts'
import { randomFrom } from '../../src/dev/demo/random.ts'
import { projects, RETIRED } from '../../src/dev/demo/story/projects.ts'
import { storyOf } from '../../src/dev/demo/story/story.ts'
import { Timeline } from '../../src/dev/demo/timeline.ts'
import { foundTowns, planTowns } from '../../src/dev/demo/towns.ts'
import { DEMO_NOW } from '../helpers/demo.ts'

test('a demo that is filled is searched by words alone, whatever is configured', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'loam-towns-'))
  const made = { seed: 1, scale: 1, now: DEMO_NOW, from: DEMO_NOW, key: '' }
  const { config } = await demoSettings(dir, {
    LOAM_EMBEDDINGS_PROVIDER: 'ollama',
    LOAM_EMBEDDINGS_BASE_URL: 'http://127.0.0.1:9',
  })
  const log = pino({ level: 'silent' })
  const ledger = newLedger(made)
  const start = new Date(DEMO_NOW)
  const world = await openDemoHouse(config, { log, start, random: randomFrom(1), ledger })
  try {
    expect(world.house.kernel.embedder.state()).toMatchObject({ on: false, chosen: true })
    expect(await learnAgain(world.house.kernel, { anew: true })).toBe(false)
  } finally {
    await world.close()
    await rm(dir, { recursive: true })
  }
})

test('a larger demo knows as much more, in projects of its own', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'loam-towns-'))
  const now = new Date(DEMO_NOW)
  const start = new Date(now.getTime() - 42 * 86_400_000)
  const made = { seed: 1, scale: 2, now: DEMO_NOW, from: start.toISOString(), key: '' }
  const ledger = newLedger(made)
  const { config } = await demoSettings(dir, {})
  const log = pino({ level: 'silent' })
  const world = await openDemoHouse(config, { log, start, random: randomFrom(1), ledger })
  try {
    const timeline = new Timeline()
    const told = { world, random: randomFrom(2), timeline, now: now.getTime() }
    const few = projects.filter(({ slug }) => slug !== RETIRED)
    await foundTowns(world, 1)
    expect(planTowns(told, 1)).toBe(few.length)
    expect(ledger.projects).toHaveLength(few.length)
    for (const { at, run } of timeline.inOrder()) {
      await world.clock.goTo(at)
      await run()
    }
    const known = few.flatMap(({ slug }) => storyOf(slug).memories)
    expect(ledger.memories).toHaveLength(known.length)
    const { rows } = await sql<{ memories: number; notes: number; tasks: number }>`
      select (select count(*)::int from memories) as memories, (select count(*)::int from notes) as notes,
        (select count(*)::int from tasks) as tasks`.execute(world.house.database.db)
    expect(rows[0]).toEqual({
      memories: ledger.memories.length,
      notes: ledger.notes.length,
      tasks: ledger.tasks.length,
    })
  } finally {
    await world.close()
    await rm(dir, { recursive: true, force: true })
  }
})
