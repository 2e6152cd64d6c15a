import { expect, test } from 'vitest'
import { openStream } from '../../src/postgres/embedded/stream.ts'
import { joined } from '../../src/postgres/embedded/wire.ts'

test('what is written in one turn is sent together, and takes no memory along that is not its own', async () => {
  const sent: Uint8Array[] = []
  const send = (bytes: Uint8Array): void => void sent.push(bytes)
  const stream = openStream({ ready: Promise.resolve(), send, gone() {} })
  stream.write('one ')
  stream.write('two')
  await new Promise((resolve) => setImmediate(resolve))
  stream.write('three')
  stream.end()
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent.map((bytes) => Buffer.from(bytes).toString())).toEqual(['one two', 'three'])
  expect(sent.map(({ buffer }) => buffer.byteLength)).toEqual([7, 5])
})

test('parts are joined in their order in memory of their own', () => {
  const parts = ['ab', '', 'c'].map((part) => Buffer.from(part))
  const bytes = joined(parts)
  expect(Buffer.from(bytes).toString()).toBe('abc')
  expect(bytes.buffer.byteLength).toBe(3)
  expect(parts[0]!.buffer.byteLength).toBeGreaterThan(3)
})
