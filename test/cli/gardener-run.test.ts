import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import { openOperated, type Operated } from '../helpers/operator.ts'

const PASSES = [
  ...['duplicates', 'staleness', 'stale-stage', 'dead-weight', 'digest', 'stale-plan'],
  ...['memory-wanted', 'tool-error'],
]

describe('loam gardener run', () => {
  let operated: Operated
  beforeEach(async () => {
    operated = await openOperated()
    const agent = await operated.house.connect()
    const texts = { kind: 'gotcha', description: 'About tides', body: 'What it says' }
    await agent.call('memory_write', { ...texts, name: 'quiet', project: 'atlas' })
    await operated.house.moveClock('91 days')
    return () => operated[Symbol.asyncDispose]()
  })

  test('runs each pass that is on and says what it came to', async () => {
    const { code, said } = await operated.loam('gardener', 'run')
    expect(code).toBe(0)
    expect(said).toEqual(PASSES.map((pass) => `${pass}: ${pass === 'staleness' ? 1 : 0} proposed`))
    expect((await operated.loam('gardener', 'run')).said).toContain('staleness: 0 proposed')
  })

  test('runs one pass by its name, and answers as JSON', async () => {
    const { said } = await operated.loam('gardener', 'run', '--pass', 'staleness', '--json')
    expect(JSON.parse(said.join('\n'))).toEqual({
      passes: [{ pass: 'staleness', proposed: 1, held_back: 0, ms: expect.any(Number) }],
    })
  })

  test('refuses a pass that is none, by naming them', async () => {
    const { code, complained } = await operated.loam('gardener', 'run', '--pass', 'weeding')
    expect(code).not.toBe(0)
    expect(complained).toContain(`there is no pass "weeding": one of ${PASSES.join(', ')}`)
  })

  test('ends with 1 when a pass could not look, and says why', async () => {
    const { house } = operated
    await writeFile(join(house.dir, 'memory', 'atlas', 'broken.md'), 'no head at all')
    await reconcile(house.app.kernel as never)
    const { code, said } = await operated.loam('gardener', 'run')
    expect(code).toBe(1)
    expect(said).toContain(
      'staleness failed: memory/atlas/broken.md cannot be read, and it may link to what seems unused: mend it',
    )
    expect(said).toContain('digest: 0 proposed')
  })

  test('one run at a time, whoever began it', async () => {
    const { db } = operated.house.app.database
    await db
      .insertInto('leases')
      .values({
        ...{ name: 'gardener-run', holder: 'another' },
        until: new Date(Date.now() + 200 * 86_400_000),
      })
      .execute()
    const { code, complained } = await operated.loam('gardener', 'run')
    expect(code).not.toBe(0)
    expect(complained).toContain('another run of the gardener is under way')
  })
})
