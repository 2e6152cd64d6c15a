import { expect, test } from 'vitest'
import { checkEncoder } from '../../src/embeddings/learned/check-encoder.ts'
import { Gathered } from '../../src/embeddings/learned/gather.ts'
import { atRandom } from '../helpers/embedders.ts'

test('a model weighs nothing where all passages are of one item, and nothing says how far apart it finds texts', () => {
  const random = atRandom(32)
  const gathered = new Gathered()
  const passages = new Map<string, Float32Array>()
  for (let nth = 0; nth < 20; nth++) {
    gathered.add(`hash${nth}`, 'note 1', `'tide':1 'word${nth}':2`)
    passages.set(`hash${nth}`, Float32Array.from(random(`passage ${nth}`)))
  }
  const told = { passages, sentences: new Map(), rests: new Map(), copies: new Map(passages) }
  const { weight, knots } = checkEncoder(gathered, told)
  expect(weight).toBe(0)
  expect(knots.flat().every(Number.isFinite)).toBe(true)
})
