import { expect, test } from 'vitest'
import { duplicatesWithin } from '../../src/gardener/duplicates/duplicates.ts'
import { newId } from '../../src/kernel/id.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import { openHouse } from '../helpers/house.ts'
import { longestTurn } from '../helpers/turns.ts'

/** Texts that share many words, and no two of which say the same. */
const MEMORIES = 300
const WORDS = 500
const wordAt = (n: number): string => `w${(n * 2_654_435_761) % 2_400}x`
const bodyOf = (nth: number): string =>
  Array.from({ length: WORDS }, (_, n) => wordAt(nth * 7_919 + n * (nth + 3))).join(' ')

test('whoever asks for duplicates among long texts holds up nobody else, and finds them', async () => {
  await using house = await openHouse()
  const agent = await house.inside('atlas')
  const { kernel } = house.app
  await agent.call('memory_write', {
    ...{ name: 'first', kind: 'gotcha', description: 'The gauge drifts in March' },
    body: bodyOf(0),
  })
  const first = await kernel.db.selectFrom('memories').selectAll().executeTakeFirstOrThrow()
  const rows = Array.from({ length: MEMORIES - 1 }, (_, n) => {
    const nth = n + 1
    const name = nth === 200 ? 'again' : `m${nth}`
    const said =
      nth === 200 ? {} : { description: `About ${wordAt(nth)} and ${nth}`, body: bodyOf(nth) }
    return { ...first, ...said, id: newId(new Date()), name, path: `memory/atlas/${name}.md` }
  })
  await kernel.db.insertInto('memories').values(rows).execute()

  const within = { scope: await scopeAt(kernel.db, 'atlas'), all: false }
  const { result, longestMs } = await longestTurn(() =>
    duplicatesWithin(kernel, within, undefined, 20),
  )

  expect(longestMs).toBeLessThan(300)
  const pairs = result.map(({ keep, drop }) => [keep.name, drop.name].toSorted())
  expect(pairs).toContainEqual(['again', 'first'])
}, 60_000)
