import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/postgres/database.ts'
import { closedTo, readsGlobal } from '../../src/projects/isolation.ts'
import { refuseRead, refuseWrite } from '../../src/projects/judge.ts'
import {
  GLOBAL,
  isFenced,
  ISOLATION,
  judge,
  type Isolation,
  type Place,
  type Verdict,
} from '../../src/projects/projects.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { placeAs } from '../helpers/places.ts'

/** Two projects of each level, the global scope, and a project that has no row. */
const PLACES: Place[] = [
  GLOBAL,
  placeAs('unknown'),
  ...ISOLATION.flatMap((level) => ['one', 'two'].map((name) => placeAs(`${name}-${level}`, level))),
]

let database: Database
/** What the fence says of every pair, the caller first. */
const verdicts = new Map<string, Verdict>()
const judged = (caller: Place, target: Place): Verdict =>
  verdicts.get(`${caller.project} ${target.project}`)!

beforeAll(async () => {
  database = await openTestDatabase()
  const { db } = database
  for (const { project: slug, isolation } of PLACES) {
    if (slug === '' || slug === 'unknown') continue
    const row = { id: slug, slug, name: slug, isolation }
    await db.insertInto('projects').values(row).execute()
  }
  for (const caller of PLACES) {
    for (const target of PLACES) {
      verdicts.set(`${caller.project} ${target.project}`, await judge(db, caller, target.project))
    }
  }
})
afterAll(() => database.close())

const refusal = (act: () => void): string | null => {
  try {
    act()
    return null
  } catch (error) {
    return (error as Error).message
  }
}
const anyPlace = fc.constantFrom(...PLACES)

describe('the fences', () => {
  test('are judged by the level of the target as it is now, and say whether it has a row', () => {
    const told = (target: Place) => {
      const { isolation, registered } = judged(GLOBAL, target)
      return { isolation, registered }
    }
    expect(told(GLOBAL)).toEqual({ isolation: 'open', registered: false })
    expect(told(placeAs('unknown'))).toEqual({ isolation: 'open', registered: false })
    expect(told(placeAs('one-sealed'))).toEqual({ isolation: 'sealed', registered: true })
  })

  test('have words for a refusal exactly when the act is forbidden', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (caller, target) => {
        const verdict = judged(caller, target)
        expect(refusal(() => refuseRead(caller, verdict)) === null).toBe(verdict.readable)
        expect(refusal(() => refuseWrite(caller, verdict)) === null).toBe(verdict.writable)
      }),
    )
  })

  test('let nothing leave a sealed project and nothing enter it', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (one, two) => {
        fc.pre(one.project !== two.project && one.isolation === 'sealed')
        expect([
          judged(one, two).readable,
          judged(one, two).writable,
          judged(two, one).readable,
          judged(two, one).writable,
        ]).toEqual([false, false, false, false])
      }),
    )
  })

  test('open nothing when a project is closed further', () => {
    const at = (name: string, level: Isolation): Place => placeAs(`${name}-${level}`, level)
    const anyLevel = fc.constantFrom(...ISOLATION)
    fc.assert(
      fc.property(anyLevel, anyLevel, anyLevel, (from, to, closer) => {
        fc.pre(ISOLATION.indexOf(closer) >= ISOLATION.indexOf(to))
        const [caller, target, closed] = [at('one', from), at('two', to), at('two', closer)]
        for (const act of ['readable', 'writable'] as const) {
          if (judged(caller, closed)[act]) expect(judged(caller, target)[act]).toBe(true)
          if (judged(closed, caller)[act]) expect(judged(target, caller)[act]).toBe(true)
        }
      }),
    )
  })

  test('name the fence of the target first in reads, and that of the caller first in writes', () => {
    const [sealed, secret] = [
      placeAs('one-sealed', 'sealed'),
      placeAs('one-confidential', 'confidential'),
    ]
    const [open] = [placeAs('one-open')]
    expect(refusal(() => refuseRead(sealed, judged(sealed, secret)))).toBe(
      'project one-confidential is confidential; only a session bound to it can read it',
    )
    expect(refusal(() => refuseRead(sealed, judged(sealed, open)))).toBe(
      'session is bound to sealed project one-sealed and can read nothing else',
    )
    expect(refusal(() => refuseWrite(secret, judged(secret, sealed)))).toBe(
      'session is bound to confidential project one-confidential and can write nowhere else',
    )
    expect(refusal(() => refuseWrite(GLOBAL, judged(GLOBAL, sealed)))).toBe(
      'project one-sealed is sealed; only a session bound to it can write there',
    )
  })

  test('are known by heart where no statement is asked: who reads the global scope', () => {
    for (const place of PLACES) {
      expect(readsGlobal(place), place.project).toBe(judged(place, GLOBAL).readable)
    }
  })

  test('stand where anybody is kept out', () => {
    for (const place of PLACES) {
      const open = PLACES.every((caller) => {
        const { readable, writable } = judged(caller, place)
        return caller.isolation !== 'open' || (readable && writable)
      })
      expect(isFenced(place), place.project).toBe(!open)
    }
  })

  test('are as closed as the more closed of two looks', () => {
    for (const [one, seen] of ISOLATION.entries()) {
      for (const [two, now] of ISOLATION.entries()) {
        const { isolation } = closedTo(placeAs('atlas', seen), placeAs('', now).isolation)
        expect(isolation).toBe(ISOLATION[Math.max(one, two)])
      }
    }
  })
})
