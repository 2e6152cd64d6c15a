import { expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse } from '../helpers/house.ts'

type Hit = Record<string, unknown>

const question = { query: 'sextant bearings', explain: true }

/** The score that somebody outside every fence is told of what lies in the global scope. */
async function scoresOutside(outside: Agent): Promise<Hit[]> {
  const { hits } = await outside.call('recall', question)
  return hits.map(({ name, score, explain }: Hit) => ({ name, score, explain }))
}

test('what is asked behind a fence is demand for nothing outside it', async () => {
  await using house = await openHouse()
  const outside = await house.connect()
  const text = { kind: 'gotcha', description: 'Sextant bearings drift', body: 'Sextant bearings.' }
  await outside.call('memory_write', { name: 'drift', project: 'global', ...text })
  const before = await scoresOutside(outside)
  const within = await house.inside('vault', 'confidential')
  await within.call('memory_write', { name: 'own-drift', ...text })
  await within.call('recall', { query: 'sextant bearings' })
  await within.call('recall', { query: 'sextant bearings', project: 'global' })
  await within.call('memory_read', { name: 'drift', project: 'global' })
  await house.app.kernel.telemetry.flush()
  expect(await scoresOutside(outside)).toEqual(before)
})

test('what is asked behind a fence is demand for what lies there, and what is asked in the open for anything', async () => {
  await using house = await openHouse()
  const text = { kind: 'gotcha', description: 'Sextant bearings drift', body: 'Sextant bearings.' }
  const within = await house.inside('vault', 'confidential')
  await within.call('memory_write', { name: 'own-drift', ...text })
  const open = await house.inside('atlas')
  await open.call('memory_write', { name: 'drift', project: 'global', ...text })
  for (const agent of [within, open]) {
    const name = agent === within ? 'own-drift' : 'drift'
    const score = async (): Promise<number> =>
      (await agent.call('recall', question)).hits.find((hit: Hit) => hit.name === name).score
    const before = await score()
    await agent.call('recall', { query: 'sextant bearings' })
    await house.app.kernel.telemetry.flush()
    await agent.call('memory_read', { name, project: agent === within ? 'vault' : 'global' })
    await house.app.kernel.telemetry.flush()
    expect(await score()).toBeGreaterThan(before)
  }
})
