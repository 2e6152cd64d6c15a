import { beforeEach, describe, expect, test, vi } from 'vitest'
import { KeptAnswers } from '../../src/kernel/kept-answers.ts'

describe('kept answers', () => {
  let changes: number | null
  let asked: number
  let kept: KeptAnswers
  beforeEach(() => {
    changes = 0
    asked = 0
    kept = new KeptAnswers(() => changes)
  })

  const ask = (word = 'who', more = '', lastsMs = Infinity) =>
    kept.answer(
      [word],
      () => lastsMs,
      async () => ({ nth: ++asked, more }),
    )

  test('are given again until something has changed', async () => {
    expect(await ask()).toEqual({ nth: 1, more: '' })
    expect(await ask()).toEqual({ nth: 1, more: '' })
    changes = 1
    expect(await ask()).toEqual({ nth: 2, more: '' })
  })

  test('are asked for each time where nobody knows of changes', async () => {
    changes = null
    await ask()
    expect(await ask()).toEqual({ nth: 2, more: '' })
  })

  test('are not kept when something changed while they were asked for', async () => {
    await kept.answer(
      ['who'],
      () => Infinity,
      async () => {
        changes = 1
        return { nth: ++asked }
      },
    )
    expect(await ask()).toMatchObject({ nth: 2 })
  })

  test('belong to their question', async () => {
    await ask('who')
    expect(await ask('where')).toMatchObject({ nth: 2 })
    expect(await ask('who')).toMatchObject({ nth: 1 })
  })

  test('belong to whoever was given them', async () => {
    await ask()
    Object.assign((await ask())!, { nth: 99 })
    expect(await ask()).toMatchObject({ nth: 1 })
  })

  test('end with their time', async () => {
    vi.useFakeTimers()
    try {
      await ask('who', '', 1_000)
      vi.advanceTimersByTime(999)
      expect(await ask()).toMatchObject({ nth: 1 })
      vi.advanceTimersByTime(2)
      expect(await ask()).toMatchObject({ nth: 2 })
    } finally {
      vi.useRealTimers()
    }
  })

  test('do not fill the memory: one that is long is asked anew, and many make room', async () => {
    await ask('long', 'x'.repeat(100_000))
    expect(await ask('long')).toMatchObject({ nth: 2 })
    const long = 'x'.repeat(50_000)
    for (let n = 0; n < 100; n++) await ask(`caller ${n}`, long)
    const before = asked
    expect(await ask('caller 99')).toMatchObject({ more: long })
    expect(asked).toBe(before)
    expect(await ask('caller 0')).toMatchObject({ nth: before + 1 })
  })
})
