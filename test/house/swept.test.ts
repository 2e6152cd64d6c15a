import { expect, test } from 'vitest'
import { embedderOf, hashedWords } from '../helpers/embedders.ts'
import { openHouse } from '../helpers/house.ts'

test('a house that is used again has its own parts, whatever the last one put in', async () => {
  const house = await openHouse()
  const { kernel } = house.app
  const { embedder } = kernel
  kernel.embedder = await embedderOf(kernel.db, 'words', hashedWords(8))
  await house[Symbol.asyncDispose]()
  await using again = await openHouse()
  expect(again.app.kernel).toBe(kernel)
  expect(kernel.embedder).toBe(embedder)
})
