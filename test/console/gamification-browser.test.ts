import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse } from '../helpers/house.ts'
import { addStep, moveStep } from '../helpers/plans.ts'
import { switchOff, switchOn } from '../helpers/moments.ts'

const ON = { LOAM_FEATURES_GAMIFICATION: 'true' }
const LIVE = '#live[data-state=live]'

describe.skipIf(browserIsMissing())('gamification in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  test('what is reached while the page is open is celebrated once, and nothing that stood there before', async () => {
    await using house = await openHouse({ env: ON })
    await house.session('atlas')
    await moveStep(house, await addStep(house, 'before'), 'done')
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await page.addInitScript(`new MutationObserver((all) => {
      for (const { addedNodes } of all) for (const one of addedNodes)
        if (one.className === 'paper') (window.thrown ??= []).push(one)
    }).observe(document, { childList: true, subtree: true })`)
    await window.go('/console/now')
    await page.locator(LIVE).waitFor({ state: 'attached' })
    expect(await page.locator('.celebration').count()).toBe(1)
    const thrown = () => page.evaluate('(window.thrown ?? []).map((one) => one.childElementCount)')
    expect(await thrown()).toEqual([])

    await moveStep(house, await addStep(house, 'launch'), 'done')
    await page.locator('#celebration-plan-atlas-launch').waitFor()
    await page.locator('.toast', { hasText: 'Plan launch is complete' }).waitFor()
    expect(await thrown()).toEqual([18])
    // It is gone when it has fallen, and comes no more with what else happens.
    await page.locator('.paper').waitFor({ state: 'detached' })
    await addStep(house, 'other')
    await page.locator('#next .row').waitFor()
    expect(await thrown()).toEqual([18])

    await page.emulateMedia({ reducedMotion: 'reduce' })
    await moveStep(house, await addStep(house, 'calm'), 'done')
    await page.locator('#celebration-plan-atlas-calm').waitFor()
    expect(await thrown()).toEqual([18])
    expect(window.troubles).toEqual([])
  })

  test('an open page follows the switch, with its sheet and script, and asks for neither while it is off', async () => {
    await using house = await openHouse()
    await house.session('atlas')
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.includes('gamification')) asked.push(pathname)
    })
    await window.go('/console/now')
    await page.locator(LIVE).waitFor({ state: 'attached' })
    expect([await page.locator('#tape').count(), asked]).toEqual([0, []])
    await switchOn(house, 'gamification')
    await page.locator('#tape .figure').first().waitFor()
    expect(asked.toSorted()).toEqual([
      '/console/static/gamification.css',
      '/console/static/gamification.js',
    ])
    await page.locator(LIVE).waitFor({ state: 'attached' })
    await switchOff(house, 'gamification')
    await page.locator('#tape').waitFor({ state: 'detached' })
    expect(asked).toHaveLength(2)
    expect(await page.getByText('Loam was updated').count()).toBe(0)
    expect(window.troubles).toEqual([])
  })
})
