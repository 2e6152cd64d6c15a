import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { giveMemoryBack } from '../../src/cli/operator/serve/frugal.ts'
import { Pace } from '../../src/kernel/pace.ts'

const [ON, OFF] = ['--optimize-for-size', '--no-optimize-for-size']

let flags: string[] = []
beforeEach(() => {
  flags = []
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => vi.useRealTimers())
const seconds = (n: number): unknown => vi.advanceTimersByTime(n * 1_000)

test('memory goes back for twenty seconds when nobody has asked for eight, and again after the next time', () => {
  const pace = new Pace()
  using _ = giveMemoryBack(pace, (flag) => flags.push(flag))
  seconds(7)
  expect(flags).toEqual([])
  seconds(1)
  expect(flags).toEqual([ON])
  seconds(20)
  expect(flags).toEqual([ON, OFF])
  seconds(3_600)
  expect(flags).toHaveLength(2)
  pace.asked()
  seconds(11)
  expect(flags).toEqual([ON, OFF, ON])
})

test('memory waits while somebody asks, and a request ends what was begun', () => {
  const pace = new Pace()
  using _ = giveMemoryBack(pace, (flag) => flags.push(flag))
  for (let n = 0; n < 30; n++) {
    pace.asked()
    seconds(1)
  }
  expect(flags).toEqual([])
  seconds(12)
  expect(flags).toEqual([ON])
  pace.asked()
  seconds(1)
  expect(flags).toEqual([ON, OFF])
})

test('a service that stops leaves the engine as it began', () => {
  const back = giveMemoryBack(new Pace(), (flag) => flags.push(flag))
  seconds(10)
  back[Symbol.dispose]()
  seconds(60)
  expect(flags).toEqual([ON, OFF])
})
