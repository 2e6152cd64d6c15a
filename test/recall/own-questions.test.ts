import { describe, expect, test } from 'vitest'
import { VOICES } from '../bench/own-item.ts'
import { halfOf, readFacts, readOwnSet } from '../bench/own-set.ts'

const set = await readOwnSet()
const facts = await readFacts()
const items = new Map(set.items.map((item) => [item.id, item]))
const answered = set.questions.filter(({ voice }) => voice !== 'unanswered')
const unanswered = set.questions.filter(({ voice }) => voice === 'unanswered')

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const runsOf = (text: string, length: number): string[] => {
  const words = wordsOf(text)
  return words.slice(length - 1).map((_, from) => words.slice(from, from + length).join(' '))
}

describe('the set of own questions', () => {
  test('is large enough to judge by, in every voice and kind', () => {
    const replaced = new Set(set.items.map(({ supersedes }) => supersedes))
    expect(set.items.filter(({ id }) => !replaced.has(id)).length).toBeGreaterThanOrEqual(1_500)
    expect(facts.length).toBeGreaterThanOrEqual(350)
    expect(answered.length).toBeGreaterThanOrEqual(300)
    expect(unanswered.length).toBeGreaterThanOrEqual(120)
    for (const voice of VOICES) {
      const asked = set.questions.filter((one) => one.voice === voice)
      expect({ voice, enough: asked.length >= 30 }).toEqual({ voice, enough: true })
    }
    for (const kind of ['memory', 'note', 'task', 'finding']) {
      const some = set.items.filter((item) => item.kind === kind)
      expect({ kind, enough: some.length >= 100 }).toEqual({ kind, enough: true })
    }
  })

  test('has no item and no question twice', () => {
    expect(items.size).toBe(set.items.length)
    expect(new Set(set.questions.map(({ q }) => q)).size).toBe(set.questions.length)
    expect(new Set(facts.map(({ title }) => title)).size).toBe(facts.length)
  })

  test('keeps half apart by the words of a question alone', () => {
    for (const questions of [answered, unanswered]) {
      const kept = questions.filter(({ half }) => half === 'kept').length
      expect(kept / questions.length).toBeGreaterThan(0.4)
      expect(kept / questions.length).toBeLessThan(0.6)
    }
    expect(set.questions.every(({ q, half }) => half === halfOf(q))).toBe(true)
    // A question that is kept stays so: what was tuned must not have seen it.
    expect(halfOf('how long is an access token valid')).toBe('kept')
    expect(halfOf('callers.yaml')).toBe('tuning')
  })

  test('grades items that are there, one of them as the answer, where the question is asked', () => {
    for (const { q, project, grades } of answered) {
      const graded = Object.keys(grades).map((id) => items.get(id))
      expect({ q, there: graded.every((item) => item !== undefined) }).toEqual({ q, there: true })
      const places = graded.filter((item) => item!.project === project || item!.project === '')
      expect({ q, seen: places.length }).toEqual({ q, seen: graded.length })
      const answers = Object.values(grades).filter((grade) => grade === 2).length
      expect({ q, answers }).toEqual({ q, answers: 1 })
    }
    expect(unanswered.every(({ grades }) => Object.keys(grades).length === 0)).toBe(true)
  })

  test('asks in other words than any passage has', () => {
    const runs = (length: number): Set<string> =>
      new Set(set.items.flatMap(({ title, body }) => runsOf(`${title}\n${body}`, length)))
    const long = runs(5)
    const longer = runs(6)
    const shared = answered.filter(({ q, voice }) =>
      voice === 'error'
        ? runsOf(q, 6).some((run) => longer.has(run))
        : runsOf(q, 5).some((run) => long.has(run)),
    )
    expect(shared.map(({ q }) => q)).toEqual([])
    const unsaid = unanswered.filter(({ q }) => runsOf(q, 5).some((run) => long.has(run)))
    expect(unsaid.map(({ q }) => q)).toEqual([])
  })

  test('asks what nobody wrote down of services that much is known of', () => {
    const projects = Map.groupBy(unanswered, ({ project }) => project)
    expect([...projects.keys()].sort()).toEqual(['granary', 'stallside', 'tidebook', 'wayfare'])
    for (const [project, asked] of projects) {
      expect(asked.length).toBeGreaterThanOrEqual(30)
      const beside = set.items.filter((item) => item.project === project)
      expect(beside.length).toBeGreaterThan(300)
    }
  })

  test('is the same each time it is read', async () => {
    expect(await readOwnSet()).toEqual(set)
  })
})
