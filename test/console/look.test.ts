import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { screens } from '../../src/console/screens.ts'
import { browserIsMissing, openBrowser } from '../helpers/browser.ts'
import { SEED } from '../helpers/seed.ts'
import { declaredPages } from './look/declared.ts'
import { LOOKED, NEW_LOOKS, readLooked, seenBefore } from './look/looked.ts'
import { lookAt } from './look/looking.ts'
import { glancesOf, type Glance } from './look/looks.ts'
import { sightsOf } from './look/sights.ts'
import { Stores, type Store } from './look/stores.ts'
import { parcels } from './parcels/parcels.ts'

/** As much of everything as `npm test` has time for. */
const SHARE = 20

test('a look at a part of the pages keeps the list of what was looked at as it is', () => {
  expect(seenBefore([...readLooked()])).toBe(readFileSync(LOOKED, 'utf8'))
})

test('every page that a screen declares is known, with what it can be asked for', async () => {
  const pages = await declaredPages([...screens, parcels])
  const urls = pages.map(({ url }) => url)
  expect(urls).toEqual(
    expect.arrayContaining(['/console/', '/console/notes', '/console/notes/:id']),
  )
  for (const { section, routes } of screens) {
    if (routes) expect(pages.map((page) => page.section)).toContain(section)
  }
  const list = pages.find(({ url }) => url === '/console/parcels')
  expect(list?.parameters).toEqual({ sort: ['weight'] })
})

describe.skipIf(browserIsMissing())('of all that there is to look at', () => {
  let browser: Browser
  let stores: Stores
  beforeAll(async () => {
    stores = new Stores(0.15)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await stores[Symbol.asyncDispose]()
  })

  test.each<Store>(['full', 'features', 'new', 'quiet', 'long'])(
    'no screen is missing in the store that is %s',
    async (store) => {
      const sights = await sightsOf(stores, [store])
      expect(new Set(sights.map(({ name }) => name)).size).toBe(sights.length)
      const pages = await declaredPages(screens)
      for (const { url, ofItem } of pages) {
        const pattern = new RegExp(`^${url.replace(/:\w+/, '[^/?]+')}(?:[?]|$)`)
        const of = sights.filter(({ path }) => pattern.test(path))
        if (store !== 'features' && (!ofItem || store === 'full')) expect(of, url).not.toEqual([])
      }
      const glances = drawn(glancesOf(sights))
      console.log(`seed ${SEED}: ${glances.length} glances in the store that is ${store}`)
      expect(await lookAt(glances, { browser, stores })).toEqual([])
    },
  )
})

/** One of twenty, and what no look has seen yet: light and dark, wide and narrow. */
function drawn(glances: readonly Glance[]): Glance[] {
  const looked = readLooked()
  const isNew = ({ sight, look }: Glance) =>
    !looked.has(sight.name) && NEW_LOOKS.includes(look.name)
  return glances.filter((glance, at) => (at + SEED * 7) % SHARE === 0 || isNew(glance))
}
