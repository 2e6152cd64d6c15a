import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  GLOBAL,
  ISOLATION,
  mayRead,
  mayWrite,
  readRefusal,
  writeRefusal,
  type Place,
} from '../../src/projects/isolation.ts'

const place = (project: string, isolation: Place['isolation']): Place => ({ project, isolation })
const OWN = 'own'

/** The matrix of the product, cell by cell: what a caller may do with each target. */
const MATRIX: [Place['isolation'], 'read' | 'write', Record<string, boolean>][] = [
  ['open', 'read', { own: true, global: true, open: true, confidential: false, sealed: false }],
  ['open', 'write', { own: true, global: true, open: true, confidential: true, sealed: false }],
  [
    'confidential',
    'read',
    { own: true, global: true, open: true, confidential: false, sealed: false },
  ],
  [
    'confidential',
    'write',
    { own: true, global: false, open: false, confidential: false, sealed: false },
  ],
  ['sealed', 'read', { own: true, global: false, open: false, confidential: false, sealed: false }],
  [
    'sealed',
    'write',
    { own: true, global: false, open: false, confidential: false, sealed: false },
  ],
]

describe('the fences', () => {
  for (const [level, act, cells] of MATRIX) {
    for (const [target, allowed] of Object.entries(cells)) {
      test(`a caller in a project that is ${level} may ${allowed ? '' : 'not '}${act} ${target}`, () => {
        const caller = place(OWN, level)
        const other =
          target === 'own'
            ? caller
            : target === 'global'
              ? GLOBAL
              : place('other', target as Place['isolation'])
        expect((act === 'read' ? mayRead : mayWrite)(caller, other)).toBe(allowed)
      })
    }
  }

  test('a caller in the global scope is judged like one in an open project', () => {
    for (const isolation of ISOLATION) {
      const target = place('other', isolation)
      expect(mayRead(GLOBAL, target)).toBe(mayRead(place(OWN, 'open'), target))
      expect(mayWrite(GLOBAL, target)).toBe(mayWrite(place(OWN, 'open'), target))
    }
  })

  const anyPlace = fc.record({
    project: fc.constantFrom('', 'a', 'b', 'c'),
    isolation: fc.constantFrom(...ISOLATION),
  })

  test('a refusal has words exactly when the act is forbidden', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (caller, target) => {
        expect(readRefusal(caller, target) === null).toBe(mayRead(caller, target))
        expect(writeRefusal(caller, target) === null).toBe(mayWrite(caller, target))
      }),
    )
  })

  test('nothing leaves a sealed project and nothing enters it', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (one, two) => {
        fc.pre(one.project !== two.project && one.isolation === 'sealed')
        expect([
          mayRead(one, two),
          mayWrite(one, two),
          mayRead(two, one),
          mayWrite(two, one),
        ]).toEqual([false, false, false, false])
      }),
    )
  })

  test('closing a project further never opens anything', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, fc.constantFrom(...ISOLATION), (caller, target, level) => {
        fc.pre(ISOLATION.indexOf(level) >= ISOLATION.indexOf(target.isolation))
        fc.pre(caller.project !== target.project)
        const closer = { ...target, isolation: level }
        if (mayRead(caller, closer)) expect(mayRead(caller, target)).toBe(true)
        if (mayWrite(caller, closer)) expect(mayWrite(caller, target)).toBe(true)
        if (mayRead(closer, caller)) expect(mayRead(target, caller)).toBe(true)
        if (mayWrite(closer, caller)) expect(mayWrite(target, caller)).toBe(true)
      }),
    )
  })

  test('reads name the fence of the target first, writes that of the caller', () => {
    const [sealed, secret] = [place('crypt', 'sealed'), place('ledger', 'confidential')]
    expect(readRefusal(sealed, secret)).toBe(
      'project ledger is confidential; only a session bound to it can read it',
    )
    expect(readRefusal(sealed, place('atlas', 'open'))).toBe(
      'session is bound to sealed project crypt and can read nothing else',
    )
    expect(writeRefusal(secret, sealed)).toBe(
      'session is bound to confidential project ledger and can write nowhere else',
    )
    expect(writeRefusal(GLOBAL, sealed)).toBe(
      'project crypt is sealed; only a session bound to it can write there',
    )
  })
})
