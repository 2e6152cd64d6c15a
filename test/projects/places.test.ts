import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  lastSegment,
  liesIn,
  longestPlace,
  normalPath,
  normalRemote,
  placesAbove,
} from '../../src/projects/places.ts'

describe('a path', () => {
  test.each([
    ['/home/ana/src/orders', '/home/ana/src/orders'],
    ['/home/ana/src/orders/', '/home/ana/src/orders'],
    [' /home//ana/./src/x/../orders ', '/home/ana/src/orders'],
    ['//home/ana', '/home/ana'],
    ['/', '/'],
    ['/../..', '/'],
    ['/Home/Ana', '/Home/Ana'],
    ['/a\\b', '/a\\b'],
    ['c:\\Users\\ana\\orders\\', 'C:/Users/ana/orders'],
    ['C:/Users/ana', 'C:/Users/ana'],
    ['C:\\', 'C:/'],
    ['\\\\nas\\share\\orders', '\\\\nas/share/orders'],
  ])('%j is kept as %j', (given, kept) => {
    expect(normalPath(given)).toBe(kept)
  })

  test.each([
    '',
    ' ',
    'orders',
    './orders',
    '~/orders',
    'C:orders',
    '/a\0b',
    '/a\nb',
    `/${'a'.repeat(5_000)}`,
  ])('is not %j', (given) => {
    expect(normalPath(given)).toBeUndefined()
  })

  const segment = fc.stringMatching(/^[A-Za-z0-9. _\\é-]{1,12}$/)
  const path = fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`)

  test('in its one form stays as it is, and a doubled or final slash changes nothing', () => {
    fc.assert(
      fc.property(path, (given) => {
        const kept = normalPath(given)!
        expect(normalPath(kept)).toBe(kept)
        expect(normalPath(`${kept}/`)).toBe(kept)
        const blank = normalPath(`${given} / /`)!
        expect(normalPath(blank)).toBe(blank)
        expect(normalPath(kept.replaceAll('/', '//'))).toBe(kept)
        expect(kept === '/' || !kept.endsWith('/')).toBe(true)
      }),
    )
  })

  test('lies in exactly those places that stand above it', () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        const [inner, outer] = [normalPath(one)!, normalPath(other)!]
        expect(liesIn(inner, outer)).toBe(placesAbove(inner).includes(outer))
        for (const above of placesAbove(inner)) expect(liesIn(inner, above)).toBe(true)
      }),
    )
  })

  test('belongs to the longest place, and never to one that only begins like it', () => {
    fc.assert(
      fc.property(path, fc.array(path, { maxLength: 6 }), segment, (given, others, tail) => {
        const inner = normalPath(given)!
        const places = others.map((each) => ({ place: normalPath(each)! }))
        const found = longestPlace(inner, places)?.place
        const longest = placesAbove(inner).find((above) =>
          places.some(({ place }) => place === above),
        )
        expect(found).toBe(longest)
        fc.pre(inner !== '/' && !tail.includes('.'))
        expect(
          longestPlace(`${inner}${tail.replaceAll('/', '')}`, [{ place: inner }]),
        ).toBeUndefined()
      }),
    )
  })

  test.each([
    ['/a/b', ['/a/b', '/a', '/']],
    ['/', ['/']],
    ['C:/a/b', ['C:/a/b', 'C:/a', 'C:', 'C:/']],
    ['\\\\nas/share/x', ['\\\\nas/share/x', '\\\\nas/share', '\\\\nas', '\\\\/']],
  ])('%j has these above it', (given, above) => {
    expect(placesAbove(given).toSorted()).toEqual(above.toSorted())
  })
})

describe('a remote', () => {
  test.each([
    'github.com/acme/orders',
    'https://github.com/acme/orders',
    'https://github.com/acme/orders.git',
    'https://github.com/acme/orders.git/',
    'https://GitHub.com:443//acme/orders.git',
    'https://ana:s3cret@github.com/acme/orders',
    'https://token@github.com/acme/orders?x=1#y',
    'http://github.com/acme/orders',
    'git@github.com:acme/orders.git',
    'github.com:acme/orders',
    'ssh://git@github.com/acme/orders.git',
    'ssh://git@github.com:22/acme/orders',
    'git+ssh://git@github.com/acme/orders/.git',
    'git://github.com/acme/orders',
    ' git@GITHUB.COM:/acme/orders.git ',
  ])('%j is that of acme/orders', (given) => {
    expect(normalRemote(given)).toBe('github.com/acme/orders')
  })

  test.each([
    ['https://git.example.org/Team/Sub.Group/Orders', 'git.example.org/Team/Sub.Group/Orders'],
    ['ssh://[::1]:2222/acme/orders', '[::1]/acme/orders'],
    ['gitbox:orders.git', 'gitbox/orders'],
    ['/srv/git/orders.git', 'file:/srv/git/orders'],
    ['file:///srv/git/orders.git', 'file:/srv/git/orders'],
    ['file://localhost/srv/git/orders', 'file:/srv/git/orders'],
    ['/srv/work/orders/.git', 'file:/srv/work/orders'],
    ['C:\\git\\orders.git', 'file:C:/git/orders'],
  ])('%j is kept as %j', (given, kept) => {
    expect(normalRemote(given)).toBe(kept)
  })

  test.each([
    '',
    'orders',
    '../orders.git',
    './orders',
    'https://',
    'https://github.com',
    'https://github.com/',
    'https://github.com/.git',
    'https://github.com/../orders',
    'git@:orders',
    'a b:c',
    'github.com/a\nb',
    `https://github.com/${'a'.repeat(5_000)}`,
  ])('is not %j', (given) => {
    expect(normalRemote(given)).toBeUndefined()
  })

  test('in its one form stays as it is, whatever it came as', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,10}$/)
    const host = fc
      .tuple(word, word)
      .map(([a, b]) => `${a.replaceAll('_', '')}.${b.replaceAll('_', '')}x`)
    const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
    const user = fc.option(
      word.map((name) => `${name}@`),
      { nil: '' },
    )
    const form = fc.constantFrom<(user: string, host: string, path: string) => string>(
      (user, host, path) => `https://${user}${host}/${path}`,
      (user, host, path) => `ssh://${user}${host}:2222/${path}.git`,
      (user, host, path) => `${user}${host}:${path}.git`,
      (_, host, path) => `${host}/${path}/`,
    )
    fc.assert(
      fc.property(user, host, path, form, (user, host, path, form) => {
        const kept = normalRemote(form(user, host, path))
        expect(kept).toBe(`${host.toLowerCase()}/${path}`)
        expect(normalRemote(kept!)).toBe(kept)
      }),
    )
  })

  test('and a path are never the same, and each stays what it is, whatever the text', () => {
    const odd = fc.stringMatching(/^[a-z./ :@\\?#~\u00a0Cgit-]{0,25}$/)
    const begin = fc.constantFrom(
      '',
      '/',
      'https://h.x/',
      'C:\\',
      'git@h.x:',
      '\\\\',
      'file:',
      '..',
    )
    fc.assert(
      fc.property(begin, odd, (begin, rest) => {
        const [path, remote] = [normalPath(begin + rest), normalRemote(begin + rest)]
        if (path !== undefined) expect(normalPath(path)).toBe(path)
        if (remote === undefined) return
        expect(normalRemote(remote)).toBe(remote)
        expect(normalPath(remote)).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })

  test('never holds a password, a line break or a blank at either end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const kept = normalRemote(`https://ana:hunter2@host.example/${text}`)
        expect(kept ?? '').not.toMatch(/hunter2|[\n\r\0]/)
        if (kept !== undefined) expect(kept).toBe(kept.trim())
      }),
    )
  })

  test('is called by its last segment', () => {
    expect(lastSegment('github.com/acme/orders')).toBe('orders')
    expect(lastSegment('/home/ana/src/orders')).toBe('orders')
    expect(lastSegment('/')).toBe('')
  })
})
